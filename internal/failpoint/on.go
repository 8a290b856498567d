//go:build failpoint

package failpoint

import (
	"fmt"
	"os"
)

var chosen, list = os.Getenv("RYE_FAIL"), os.Getenv("RYE_FAIL_LIST")

// At kills this process if name is the moment that RYE_FAIL names. It first adds the name to the file RYE_FAIL_LIST, if
// that is set.
func At(name string) {
	if list != "" {
		note(name)
	}
	if name != chosen {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Kill()
	}
	select {} // the signal is on its way
}

func note(name string) {
	file, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Fprintln(file, name)
}
