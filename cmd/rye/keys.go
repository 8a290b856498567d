package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

func newKeysCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Manage the signing key and the keys you trust",
		Long: `Your signing key lives in <user space>/.ai/config/keys/signing. Items run when the key that signed them is trusted: by
the system, by you, or by a project whose key document is itself signed by a key that you trust.`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKeysGenerate(a), newKeysList(a), newKeysShow(a), newKeysTrust(a), newKeysUntrust(a),
		newKeysImport(a), newKeysExport(a))
	return cmd
}

// keyCommand runs do and shows the key that it gives.
func keyCommand(a *app, what string, do func(*engine.Engine, []string) (*engine.KeyInfo, error)) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		eng, err := a.engine()
		if err != nil {
			return err
		}
		info, err := do(eng, args)
		if err != nil {
			return err
		}
		if a.format() != formatText {
			return a.print(info)
		}
		a.line("%s %s", what, info.Fingerprint)
		if info.Path != "" {
			a.note("%s", safe(info.Path))
		}
		return nil
	}
}

func newKeysGenerate(a *app) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "generate", Short: "Make your signing key and trust it", Args: cobra.NoArgs,
		Example: "  rye keys generate",
		RunE: keyCommand(a, "generated", func(eng *engine.Engine, _ []string) (*engine.KeyInfo, error) {
			return eng.GenerateKey(force)
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace the key you have")
	return cmd
}

func newKeysList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the keys that are trusted, and the documents that do not count", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			list, err := eng.Keys()
			if err != nil {
				return err
			}
			if a.format() != formatText {
				return a.print(list)
			}
			rows := [][]string{}
			for _, k := range list.Keys {
				role := ""
				if k.Signing {
					role = "signing key"
				}
				if !k.Trusted {
					role += ", not trusted"
				}
				rows = append(rows, []string{k.Fingerprint, k.Space, k.Owner, role})
			}
			a.table([]string{"FINGERPRINT", "SPACE", "OWNER", ""}, rows)
			for _, k := range list.Ignored {
				a.warn(fmt.Sprintf("ignored: %s: %s (try: %s)", safe(k.Path), safe(k.Reason), safe(k.Hint)))
			}
			return nil
		},
	}
}

func newKeysShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show [FINGERPRINT]", Short: "Show a key, your own by default", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			info, err := eng.Key(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if a.format() != formatText {
				return a.print(info)
			}
			a.line("fingerprint  %s\nowner        %s\nspace        %s\ntrusted      %t\nsigning key  %t\nfile         %s\n%s",
				info.Fingerprint, safe(info.Owner), info.Space, info.Trusted, info.Signing, safe(info.Path), strings.TrimSpace(info.PublicKey))
			return nil
		},
	}
}

func newKeysTrust(a *app) *cobra.Command {
	var owner, label string
	cmd := &cobra.Command{
		Use: "trust [FILE]", Short: "Trust a key: a public key, a trust document, or your own", Args: cobra.MaximumNArgs(1),
		Long: `Trust the key in FILE, a public key in PEM or a trust document such as a project ships; without FILE your own key. The
document is written to user space, or with --space project to the project, signed with your key.`,
		Example: `  rye keys trust colleague.pem --owner colleague
  rye keys trust .ai/config/keys/trusted/0123456789abcdef.toml`,
		RunE: keyCommand(a, "trusted", func(eng *engine.Engine, args []string) (*engine.KeyInfo, error) {
			if len(args) == 0 {
				return eng.TrustOwn(owner, space.Label(label))
			}
			return eng.TrustFile(args[0], owner, space.Label(label))
		}),
	}
	cmd.Flags().StringVar(&owner, "owner", "", "whose key it is")
	cmd.Flags().StringVar(&label, "space", "user", "`space` to write the document to: user or project")
	completeValues(cmd, "space", "user", "project")
	return cmd
}

func newKeysUntrust(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "untrust FINGERPRINT", Short: "Stop trusting a key", Args: one("a fingerprint"), ValidArgsFunction: a.completeKeys,
		RunE: keyCommand(a, "no longer trusted:", func(eng *engine.Engine, args []string) (*engine.KeyInfo, error) {
			return eng.Untrust(args[0])
		}),
	}
}

func newKeysImport(a *app) *cobra.Command {
	var force bool
	var variable string
	cmd := &cobra.Command{
		Use: "import [FILE]", Short: "Make an existing private key your signing key", Args: cobra.MaximumNArgs(1),
		Long: `Read a PKCS#8 PEM private key from FILE, from standard input (-), or without FILE from the variable RYE_SIGNING_KEY, in
which \n may stand for a line end, as CI systems store it.`,
		Example: `  rye keys import - < private_key.pem`,
		RunE: keyCommand(a, "imported", func(eng *engine.Engine, args []string) (*engine.KeyInfo, error) {
			data, err := a.privateKey(args, variable)
			if err != nil {
				return nil, err
			}
			return eng.ImportKey(data, force)
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace the key you have")
	cmd.Flags().StringVar(&variable, "env-var", "RYE_SIGNING_KEY", "`variable` that holds the key")
	return cmd
}

// maxKeyFile bounds a private key, in bytes.
const maxKeyFile = 64 << 10

func (a *app) privateKey(args []string, variable string) ([]byte, error) {
	switch {
	case len(args) == 0:
		text := os.Getenv(variable)
		if text == "" {
			return nil, item.Usagef("no key given: name a file, - for standard input, or set %s", variable).
				Hint("rye keys import private_key.pem")
		}
		return []byte(strings.TrimSpace(strings.ReplaceAll(text, `\n`, "\n")) + "\n"), nil
	case args[0] == "-":
		return io.ReadAll(io.LimitReader(a.stdin, maxKeyFile))
	}
	f, err := os.Open(args[0])
	if errors.Is(err, fs.ErrNotExist) {
		return nil, item.Errorf(item.TypeNotFound, "no such file: %s", args[0])
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxKeyFile))
}

func newKeysExport(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "export [FINGERPRINT]", Short: "Print a public key in PEM, your own by default", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeKeys,
		Example:           "  rye keys export > my-key.pem",
		RunE: func(_ *cobra.Command, args []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			info, err := eng.Key(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if a.flags.output == "" || a.format() == formatText {
				_, err = io.WriteString(a.stdout, info.PublicKey) // made to be redirected into a file
				return err
			}
			return a.print(info)
		},
	}
}
