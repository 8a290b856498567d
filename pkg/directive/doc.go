// Package directive reads directives: Markdown files whose ```xml block says what an agent is asked to do, with which
// inputs, outputs, permissions and limits, and whose body is the instructions. It binds inputs, fills placeholders and
// composes what a directive extends. It is pure: whoever calls it finds and verifies the files.
package directive
