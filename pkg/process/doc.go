// Package process starts programs and ends them: it is the only package that does. It owns the capture of what they
// write, the end of everything they started, and the identity by which a process is found again.
package process
