// Package draw draws state graphs: as text for terminals, as Mermaid and DOT for other programs, and as SVG. What a run
// did can be laid over the drawing.
//
// Names, actions and conditions come from files that anyone may have written. They are text in every format: nothing in
// them ends a label, becomes markup or steers a terminal.
package draw

import (
	"bytes"
	"fmt"
	"io"

	"github.com/ryeos/rye/pkg/graph"
)

// Format is what a drawing is written in.
type Format string

// The formats of drawings.
const (
	Text    Format = "text"    // for terminals, 80 columns wide
	Mermaid Format = "mermaid" // a flowchart
	DOT     Format = "dot"     // for Graphviz
	SVG     Format = "svg"     // a picture that needs nothing else
)

// Formats lists all formats.
func Formats() []Format { return []Format{Text, Mermaid, DOT, SVG} }

// Draw draws a graph. A graph that is not valid is drawn as far as it makes sense: nodes that an edge leads to and that
// do not exist are shown as missing. With a run, its way and its times are laid over the drawing.
func Draw(w io.Writer, g *graph.Graph, format Format, over *Run) error {
	var out bytes.Buffer
	p := newPicture(g, over)
	switch format {
	case Text:
		p.text(&out)
	case Mermaid:
		p.mermaid(&out)
	case DOT:
		p.dot(&out)
	case SVG:
		if err := p.svg(&out); err != nil {
			return err
		}
	default:
		return fmt.Errorf("there is no format %q for drawings", format)
	}
	if _, err := out.WriteTo(w); err != nil {
		return fmt.Errorf("writing the drawing: %w", err)
	}
	return nil
}
