package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

func newLilluxSign(a *app) *cobra.Command {
	var dir, hash string
	cmd := lilluxLeaf("sign", "Sign a hash", func(*cobra.Command) error {
		signature, err := engine.LilluxSign(dir, hash)
		return a.printOrError(map[string]string{"hash": hash, "signature": signature}, err)
	}, "key-dir", "hash")
	cmd.Long = `Sign a hash with Ed25519. The message is the hash as text, 64 hex digits. The signatures of items are of another kind: rye
sign makes them.`
	cmd.Flags().StringVar(&dir, "key-dir", "", "the `folder` of the key")
	cmd.Flags().StringVar(&hash, "hash", "", "the `hash`, 64 hex digits")
	return cmd
}

func newLilluxVerify(a *app) *cobra.Command {
	var file, hash, signature string
	cmd := lilluxLeaf("verify", "Check the signature of a hash", func(*cobra.Command) error {
		valid, err := engine.LilluxVerify(file, hash, signature)
		switch {
		case errors.Is(err, engine.ErrKeyText):
			return a.printObject(map[string]any{"error": err.Error(), "valid": false})
		case err != nil:
			return a.printOrError(nil, err)
		}
		return a.printObject(map[string]any{"hash": hash, "valid": valid})
	}, "hash", "signature", "public-key")
	cmd.Flags().StringVar(&hash, "hash", "", "the `hash`, 64 hex digits")
	cmd.Flags().StringVar(&signature, "signature", "", "the `signature`, in base64url")
	cmd.Flags().StringVar(&file, "public-key", "", "the PEM `file` of the key")
	return cmd
}

func newLilluxKeypair(a *app) *cobra.Command {
	var dir string
	generate := lilluxLeaf("generate", "Make a signing key and a box key", func(*cobra.Command) error {
		pair, err := engine.LilluxGenerate(dir)
		return a.printOrError(pair, err)
	}, "key-dir")
	generate.Flags().StringVar(&dir, "key-dir", "", "the `folder` to make them in; there must be no key in it")
	return lilluxGroup("keypair", "Keys", generate,
		newLilluxFingerprint(a, "fingerprint", "Name a public signing key", engine.LilluxFingerprint),
		newLilluxFingerprint(a, "box-fingerprint", "Name a public box key", engine.LilluxBoxFingerprint))
}

func newLilluxFingerprint(a *app, use, short string, of func(file string) (string, error)) *cobra.Command {
	var file string
	cmd := lilluxLeaf(use, short, func(*cobra.Command) error {
		fingerprint, err := of(file)
		return a.printOrError(map[string]string{"fingerprint": fingerprint}, err)
	}, "public-key")
	cmd.Flags().StringVar(&file, "public-key", "", "the `file` of the key")
	return cmd
}

func newLilluxEnvelope(a *app) *cobra.Command {
	var dir string
	open := lilluxLeaf("open", "Open the envelope on standard input", func(*cobra.Command) error {
		opened, err := engine.LilluxOpen(dir, a.stdin)
		return a.printOrError(opened, err)
	}, "key-dir")
	open.Long = `Open the envelope on standard input with the box key of a folder, and print the variables in it. Names that no envelope may
set, such as PATH, are only listed, as "skipped".`
	open.Flags().StringVar(&dir, "key-dir", "", "the `folder` of the box key")
	return lilluxGroup("envelope", "Sealed environment variables", open)
}
