package graph

import (
	"strconv"
	"strings"
)

// Slots name the effects of a step: `action/ATTEMPT`, `item/INDEX` and `EVENT/ATTEMPT/HOOK/INDEX`.

func actionSlot(attempt int) string { return "action/" + strconv.Itoa(attempt) }

func itemSlot(i int) string { return "item/" + strconv.Itoa(i) }

func hookSlot(event string, attempt int, hook string, action int) string {
	return event + "/" + strconv.Itoa(attempt) + "/" + hook + "/" + strconv.Itoa(action)
}

// in adds what a slot says about the effect in it.
func (u Uncertain) in(slot string) Uncertain {
	kind, rest, _ := strings.Cut(slot, "/")
	switch kind {
	case "action":
	case "item":
		if i, err := strconv.Atoi(rest); err == nil {
			u.Item = &i
		}
	default:
		u.Node = ""
		_, hook, _ := strings.Cut(rest, "/")
		u.Hook = hook[:max(0, strings.LastIndexByte(hook, '/'))]
	}
	return u
}
