// Package thread is the registry of runs: who runs what, since when, with which result. One SQLite database per project
// holds it, beside one folder per thread for logs and the lock of its runner.
//
// The registry tells the truth even when a runner was killed. The row is there before the process is; status and result
// change in one transaction; the runner holds a lock that only the kernel can take from it, and whoever reads a row whose
// runner is gone settles it as lost, with the evidence, before showing it. docs/thread-states.md has the states.
//
// It is also the storage of the agent runtime: Records.
package thread
