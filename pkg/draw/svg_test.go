package draw

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// svgPicture is a drawing as a reader of XML sees it.
type svgPicture struct {
	Width  int `xml:"width,attr"`
	Height int `xml:"height,attr"`
	Groups []struct {
		Class string `xml:"class,attr"`
		Title string `xml:"title"`
		Rects []struct {
			X int `xml:"x,attr"`
			Y int `xml:"y,attr"`
			W int `xml:"width,attr"`
			H int `xml:"height,attr"`
		} `xml:"rect"`
		Paths []struct {
			Class string `xml:"class,attr"`
			D     string `xml:"d,attr"`
		} `xml:"path"`
		Texts []struct {
			Class string `xml:"class,attr"`
			X     int    `xml:"x,attr"`
			Y     int    `xml:"y,attr"`
			Text  string `xml:",chardata"`
		} `xml:"text"`
	} `xml:"g"`
}

// readSVG reads all of a drawing: it must be one well-formed document.
func readSVG(drawing string) (svgPicture, error) {
	var p svgPicture
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	if err := decoder.Decode(&p); err != nil {
		return p, err
	}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return p, nil
		}
		if text, ok := token.(xml.CharData); err != nil || !ok || strings.TrimSpace(string(text)) != "" {
			return p, fmt.Errorf("more than one document: %v %w", token, err)
		}
	}
}

// area is what something covers, without its outline.
type area struct {
	name                     string
	left, top, right, bottom int
}

func (a area) overlaps(b area) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// around is the smallest area with all the points.
func around(name string, points ...[2]int) area {
	a := area{name, points[0][0], points[0][1], points[0][0], points[0][1]}
	for _, p := range points {
		a.left, a.right = min(a.left, p[0]), max(a.right, p[0])
		a.top, a.bottom = min(a.top, p[1]), max(a.bottom, p[1])
	}
	return a
}

// TestNothingOverlaps: no two boxes or labels of an SVG touch, no line crosses one, and all is inside the picture.
func TestNothingOverlaps(t *testing.T) {
	for seed := range uint64(100) {
		p, err := readSVG(drawn(t, randomGraph(seed), SVG, nil))
		if err != nil {
			t.Fatal(err)
		}
		var solid, lines []area
		for _, g := range p.Groups {
			for _, r := range g.Rects {
				solid = append(solid, area{g.Title, r.X, r.Y, r.X + r.W, r.Y + r.H})
			}
			for _, path := range g.Paths {
				switch {
				case path.Class == "box":
					solid = append(solid, around(g.Title, points(path.D)...))
				case strings.HasPrefix(g.Class, "edge"):
					lines = append(lines, pieces(g.Title, path.D)...)
				}
			}
			for _, text := range g.Texts {
				if text.Class == "label" {
					solid = append(solid, area{g.Title + " (label)", text.X, text.Y - 9, text.X + 7*len(text.Text), text.Y + 3})
				}
			}
		}
		for i, a := range solid {
			for _, b := range slices.Concat(solid[:i], lines) {
				if a.overlaps(b) {
					t.Fatalf("seed %d: %v overlaps %v", seed, a, b)
				}
			}
			if !a.overlaps(area{right: p.Width, bottom: p.Height}) || a.left < 0 || a.top < 0 || a.right > p.Width || a.bottom > p.Height {
				t.Fatalf("seed %d: %v is outside the picture of %d × %d", seed, a, p.Width, p.Height)
			}
		}
	}
}

var digits = regexp.MustCompile(`-?\d+`)

func points(d string) [][2]int {
	numbers := digits.FindAllString(d, -1)
	var list [][2]int
	for i := 0; i+1 < len(numbers); i += 2 {
		x, _ := strconv.Atoi(numbers[i])
		y, _ := strconv.Atoi(numbers[i+1])
		list = append(list, [2]int{x, y})
	}
	return list
}

// pieces are the areas that the lines and curves of a path stay in. A line has one pixel to each side.
func pieces(name, d string) []area {
	var list []area
	at := [2]int{}
	for _, command := range regexp.MustCompile(`[A-Zlhvz][^A-Zlhvz]*`).FindAllString(d, -1) {
		arguments := points(command)
		switch command[0] {
		case 'M':
			at = arguments[0]
		case 'C':
			list = append(list, around(name, append(arguments, at)...))
			at = arguments[2]
		case 'V':
			y, _ := strconv.Atoi(digits.FindString(command))
			a := around(name, at, [2]int{at[0], y})
			list = append(list, area{name, a.left - 1, a.top, a.right + 1, a.bottom})
			at[1] = y
		}
	}
	return list
}
