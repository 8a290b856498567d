// Package graph runs state graphs: YAML files whose nodes execute other items and whose edges depend on a state that the
// nodes change. It parses and validates them, walks them, and keeps a journal, so that a run that was killed is taken up
// where it stopped and no effect is repeated that may have happened.
//
// Everything that a graph does to the world goes through Env. The state only ever changes by applying a record that the
// journal has made durable before; a resumed run applies the same records in the same way.
package graph
