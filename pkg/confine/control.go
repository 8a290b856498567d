package confine

import "fmt"

// Support is what the kernel can do.
type Support struct {
	ABI     int    // Landlock's; 0 for none
	Seccomp bool   // with a filter for this machine
	Without string // why there is nothing at all; "" on Linux
}

// Control is one restriction: asked for, and realised unless Missing says why not.
type Control struct {
	Name      string
	Detail    string // which version realises it
	Missing   string
	Essential bool // without it, what the policy forbids can be done all the same
}

// String is the control as people and programs read it.
func (c Control) String() string { return c.Name + c.Detail }

// landlockControls are the steps by which Landlock grew. Without truncation, version 1 and 2 let a file be emptied that
// cannot be written.
var landlockControls = []struct {
	name      string
	abi       int
	essential bool
}{
	{"landlock-fs", 1, true}, {"landlock-truncate", 3, true}, {"landlock-ioctl", 5, false}, {"landlock-scope", 6, false},
}

// Controls lists what a program without (or with) network asks of this kernel.
func (s Support) Controls(net bool) []Control {
	var controls []Control
	landlock := func(name string, abi int, essential bool) {
		c := Control{Name: name, Detail: fmt.Sprintf("(abi %d)", s.ABI), Essential: essential}
		if s.ABI < abi {
			c.Missing = s.reason(fmt.Sprintf("needs Landlock ABI %d, this kernel has %d", abi, s.ABI))
		}
		controls = append(controls, c)
	}
	for _, l := range landlockControls {
		landlock(l.name, l.abi, l.essential)
	}
	if !net {
		landlock("landlock-net", 4, false)
	}
	names := []string{"no_new_privs", "capabilities", "seccomp"}
	if !net {
		names = append(names, "net")
	}
	for _, name := range names {
		c := Control{Name: name, Essential: true}
		switch {
		case s.Without != "":
			c.Missing = s.Without
		case !s.Seccomp && (name == "seccomp" || name == "net"):
			c.Missing = "this kernel or this machine has no seccomp filters"
		}
		controls = append(controls, c)
	}
	return controls
}

func (s Support) reason(otherwise string) string {
	switch {
	case s.Without != "":
		return s.Without
	case s.ABI == 0:
		return "this kernel has no Landlock, or it is switched off"
	}
	return otherwise
}
