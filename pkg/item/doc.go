// Package item says what an item is: its kind, its id and reference, the metadata that each file type carries,
// the comment syntax a signature line is written in, and the request and response of an execution.
// It is pure: it reads bytes that others hand to it and never touches a disk, a process or a network.
package item
