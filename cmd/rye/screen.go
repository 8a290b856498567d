package main

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/term"
)

// screen is a part of a terminal that is drawn again and again in the same place.
type screen struct {
	out   *os.File
	drawn int // lines
}

// openScreen hides the cursor and keeps long lines from going on in the next one; close undoes that.
func openScreen(out *os.File) *screen {
	out.WriteString("\x1b[?25l\x1b[?7l")
	return &screen{out: out}
}

func (s *screen) close() { s.out.WriteString("\x1b[?7h\x1b[?25h") }

// rows is how many lines can be drawn. One stays free, for the cursor.
func (s *screen) rows() int {
	_, height, err := term.GetSize(int(s.out.Fd()))
	if err != nil || height < 2 {
		return 23
	}
	return height - 1
}

// draw replaces what was drawn before, in one piece so that it does not flicker.
func (s *screen) draw(lines []string) error {
	lines = lines[:min(len(lines), s.rows())]
	var frame bytes.Buffer
	if s.drawn > 0 {
		fmt.Fprintf(&frame, "\x1b[%dA", s.drawn)
	}
	for _, line := range lines {
		frame.WriteString(line + "\x1b[K\r\n")
	}
	frame.WriteString("\x1b[J")
	s.drawn = len(lines)
	_, err := s.out.Write(frame.Bytes())
	return lost(err)
}
