//go:build linux

package main

// limitFigures are the figures about what runs out: space, descriptors, time, patience; and about what must not get out.
var limitFigures = []figure{
	{
		name: "R8", what: "commands on a disk of 1 MiB with room for 0, 1, 2, … pages, %d numbers of them for each command; detached runs that end when there is none",
		must: "each does what it was asked for or says that the disk is full; nothing half written; it works when there is room; the end of a run is recorded then",
		full: 128, small: 9, run: diskFull,
	},
	{
		name: "R9", what: "the same commands with a limit of 3, 4, 5, … open files, %d limits; with a read-only project or home, without /proc, with something else in the place of the registry",
		must: "each does what it was asked for or says what is missing, and does not call it a bug; nothing half written; it works when nothing is in the way",
		full: 62, small: 8, run: starved,
	},
	{
		name: "R15", what: "%d seconds of 5 runs a second: one process with an engine in it, as a server is, and the command line beside it; half detached, some fail, some are cancelled",
		must: "every run ends as it should; memory, descriptors, goroutines and cache are flat (last quarter to second: ×1.1 and a few); no zombie, no temporary file",
		full: 3600, small: 10, run: soak,
	},
	{
		name: "R16", what: "a tool writes %d MiB as fast as it can",
		must: "the reader gets every byte, and the log of a detached run too up to its limit, where it says so; rye needs 64 MiB at most, the runner of a detached run 96 MiB",
		full: 10240, small: 64, run: flood,
	},
	{
		name: "R17", what: "rye's answer of %d KiB is read slowly, at 1 KB/s (2 KB/s below 100 KiB), from a pipe that holds 4 KiB",
		must: "the whole document and the right exit code, of a tool that succeeds and of one that fails", full: 100, small: 8, run: slowReader,
	},
	{
		name: "R26", what: "%d secrets in parameters, variables, .env, URLs and keys; tools that print, encode and split them, fail and crash with them; runs in the foreground, detached, cancelled, killed, lost, timed out, repeated",
		must: "none is in the registry, the logs, the cache, the configuration, a command line, an environment that should not have it, or the words of any command",
		full: 50, small: 50, run: secrets,
	},
}
