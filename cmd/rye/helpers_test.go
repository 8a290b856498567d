package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// helpers are programs that scripts run beside rye.
var helpers = map[string]func(){
	"argv-json": argvJSON,
	"brood":     brood,
	"linger":    linger,
	"flood":     flood,

	"one-document": oneDocument,
}

// argvJSON prints its arguments, its standard input, its environment and its folder as one JSON object; every byte is
// kept by writing texts as lists of numbers.
func argvJSON() {
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cwd, _ := os.Getwd()
	bytesOf := func(s string) []int {
		out := make([]int, len(s))
		for i := range len(s) {
			out[i] = int(s[i])
		}
		return out
	}
	args := make([][]int, len(os.Args)-1)
	for i, arg := range os.Args[1:] {
		args[i] = bytesOf(arg)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"args": args, "stdin": bytesOf(string(stdin)), "cwd": cwd, "env": os.Environ(),
	})
}

// oneDocument fails unless its standard input is exactly one JSON object that reports an error.
func oneDocument() {
	dec := json.NewDecoder(os.Stdin)
	var response struct{ Status, Error string }
	if err := dec.Decode(&response); err != nil || response.Status != "error" || response.Error == "" {
		fmt.Fprintln(os.Stderr, "no JSON object with an error:", err, response)
		os.Exit(1)
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		fmt.Fprintln(os.Stderr, "more than one JSON document:", err)
		os.Exit(1)
	}
}
