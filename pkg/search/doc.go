// Package search finds items by what is written in them: a positional index over their words, a query language and a
// ranking in the manner of BM25. It never touches a disk: whoever calls it reads the files and keeps the index.
package search
