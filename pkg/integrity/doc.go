// Package integrity owns what makes a file trustworthy: the signature line, the bytes that a signature covers, signing
// keys, and the store of keys whose signatures count. It reads and judges; what may run is decided by others.
package integrity
