// Package keeper keeps what is expensive to start from one call of rye to the next: a process of its own, the keeper, has it
// and serves it on a Unix socket that only its owner can reach. Whoever needs a keeper starts it; there is no daemon. A
// keeper ends when nobody has needed it for a while.
//
// There is one keeper for each thing that is kept, so that environments never mix, a crash concerns one thing, and its end is
// the end of one tree of processes. What is kept, and how it is talked to, is the business of the Handler.
//
// Linux and macOS have keepers. Elsewhere every function fails with ErrUnsupported, and a call is made without one.
package keeper
