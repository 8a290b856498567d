package item

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrorType classifies a failure for programs: it is `error_type` in a response, and the command line maps it to an exit
// code (design §5).
type ErrorType string

// The error types of design §5.
const (
	TypeFailed      ErrorType = "failed" // the item ran and failed
	TypeUsage       ErrorType = "usage"
	TypeNotFound    ErrorType = "not_found"
	TypeIntegrity   ErrorType = "integrity"
	TypeChain       ErrorType = "chain"
	TypePermission  ErrorType = "permission"
	TypeLimit       ErrorType = "limit"
	TypeUnavailable ErrorType = "unavailable"
	TypeTimeout     ErrorType = "timeout"
	TypeInterrupted ErrorType = "interrupted"
	TypeInternal    ErrorType = "internal"
)

// Error is a failure that a person can act on: what is wrong, and what to type next.
type Error struct {
	Type    ErrorType
	Message string
	Hints   []string // each a command, or a sentence that ends in one
	Err     error    // the cause, when there is one that callers may match
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of the given type; a %w operand becomes its cause.
func Errorf(t ErrorType, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Type: t, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Usagef is Errorf for a request that cannot be understood.
func Usagef(format string, args ...any) *Error { return Errorf(TypeUsage, format, args...) }

// Hint adds what to type next and returns e.
func (e *Error) Hint(format string, args ...any) *Error {
	e.Hints = append(e.Hints, fmt.Sprintf(format, args...))
	return e
}

// TypeOf finds the error type anywhere in err's chain; an error without one is internal, unless the operating system is
// behind it with something that is no bug. What the machine has run out of is the reason whatever failed for it.
func TypeOf(err error) ErrorType {
	refusal, refused := refusedBy(err)
	if refusal.shortage {
		return refusal.kind
	}
	var e *Error
	if errors.As(err, &e) && e.Type != TypeInternal {
		return e.Type
	}
	var s *SyntaxError
	if errors.As(err, &s) {
		return TypeChain
	}
	if refused {
		return refusal.kind
	}
	return TypeInternal
}

// HintsOf collects the hints of the outermost Error in err's chain. Those about a refusal of the operating system are
// added if it has none, and replace those of who could not know of a shortage.
func HintsOf(err error) []string {
	var e *Error
	refusal, _ := refusedBy(err)
	if errors.As(err, &e) && len(e.Hints) > 0 && !refusal.shortage {
		return e.Hints
	}
	if refusal.hint != "" {
		return []string{refusal.hint}
	}
	return nil
}

// Quote shows text from outside so that it cannot steer a terminal: control characters, invalid bytes and
// direction overrides are escaped.
func Quote(s string) string {
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return strconv.QuoteToGraphic(s)
}

// FirstLine is a message without the lines that explain it.
func FirstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}
