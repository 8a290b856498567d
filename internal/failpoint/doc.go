// Package failpoint names the moments at which a program may die, so that tests can make it die exactly there. In a
// program built with the tag failpoint, RYE_FAIL=NAME kills the process by SIGKILL when it comes to At(NAME), and
// RYE_FAIL_LIST=FILE collects the names that it comes to; in any other build At is nothing.
package failpoint
