package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// age is a flag that holds how long ago something was: 90s, 12h, 30d.
type age time.Duration

func (a *age) Type() string { return "age" }

func (a *age) String() string {
	if *a == 0 {
		return ""
	}
	return time.Duration(*a).String()
}

func (a *age) Set(text string) error {
	d, err := parseAge(text)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%s must be positive", item.Quote(text))
	}
	*a = age(d)
	return err
}

// day as people mean it when they clean up.
const day = 24 * time.Hour

func parseAge(text string) (time.Duration, error) {
	if number, ok := strings.CutSuffix(text, "d"); ok {
		days, err := strconv.ParseFloat(number, 64)
		if err != nil || !(days > 0 && days < 100_000) {
			return 0, fmt.Errorf("%s is no number of days", item.Quote(text))
		}
		return time.Duration(days * float64(day)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s is no duration such as 90s, 12h or 30d", item.Quote(text))
	}
	return d, nil
}

// ago says how long something is past, in one unit.
func ago(d time.Duration) string {
	switch {
	case d < time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	}
	return fmt.Sprintf("%dd ago", d/day)
}

// brief says how long something takes, in its two largest units.
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", max(0, d.Milliseconds()))
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
