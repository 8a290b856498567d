package thread

import "context"

// turn is everybody's at any time: SQLite's own locks decide.
func (s *Store) turn(context.Context) (release func()) { return func() {} }
