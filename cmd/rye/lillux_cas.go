package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
)

func newLilluxCAS(a *app) *cobra.Command {
	return lilluxGroup("cas", "Content under its hash", newLilluxStore(a), newLilluxFetch(a), newLilluxCheck(a), newLilluxHas(a))
}

// lilluxContent are the flags that name content.
type lilluxContent struct {
	root, hash string
	blob       bool
}

func (c *lilluxContent) add(cmd *cobra.Command, hash, blob bool) {
	cmd.Flags().StringVar(&c.root, "root", "", "the `folder` of the store")
	if hash {
		cmd.Flags().StringVar(&c.hash, "hash", "", "the `hash` of the content, 64 hex digits")
	}
	if blob {
		cmd.Flags().BoolVar(&c.blob, "blob", false, "bytes as they are, not a JSON document")
	}
}

func newLilluxStore(a *app) *cobra.Command {
	var c lilluxContent
	cmd := lilluxLeaf("store", "Store standard input", func(*cobra.Command) error {
		data, err := io.ReadAll(a.stdin)
		hash := ""
		if err == nil {
			hash, err = engine.LilluxStore(c.root, data, c.blob)
		}
		return a.printOrError(map[string]string{"hash": hash}, err)
	}, "root")
	c.add(cmd, false, true)
	return cmd
}

func newLilluxFetch(a *app) *cobra.Command {
	var c lilluxContent
	cmd := lilluxLeaf("fetch", "Write content to standard output", func(*cobra.Command) error {
		data, err := engine.LilluxFetch(c.root, c.hash, c.blob)
		if err != nil {
			return a.refuseContent(err)
		}
		_, err = a.stdout.Write(data)
		return lost(err)
	}, "root", "hash")
	cmd.Long = `Write content to standard output as it was stored, after a check that it is what its hash says. Content that is not
there, or is damaged, is a message on standard error and exit code 1.`
	c.add(cmd, true, true)
	return cmd
}

func newLilluxCheck(a *app) *cobra.Command {
	var c lilluxContent
	cmd := lilluxLeaf("verify", "Tell whether content is there and whole", func(*cobra.Command) error {
		_, err := engine.LilluxFetch(c.root, c.hash, c.blob)
		if errors.Is(err, engine.ErrContentHash) {
			return a.refuseContent(err)
		}
		return a.printObject(struct {
			Hash  string `json:"hash"`
			Valid bool   `json:"valid"`
		}{c.hash, err == nil})
	}, "root", "hash")
	c.add(cmd, true, true)
	return cmd
}

func newLilluxHas(a *app) *cobra.Command {
	var c lilluxContent
	cmd := lilluxLeaf("has", "Tell whether content is there", func(*cobra.Command) error {
		exists, err := engine.LilluxHas(c.root, c.hash)
		if err != nil {
			return a.refuseContent(err)
		}
		return a.printObject(struct {
			Exists bool   `json:"exists"`
			Hash   string `json:"hash"`
		}{exists, c.hash})
	}, "root", "hash")
	c.add(cmd, true, false)
	return cmd
}

// refuseContent reports what lillux does not report as JSON.
func (a *app) refuseContent(err error) error {
	fmt.Fprintln(a.stderr, err)
	return &silentError{exitFailed}
}
