package thread

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const (
	canary      = "canary-4f9a2b7c"
	spacyCanary = "correct horse battery staple"
)

// hideCanaries is what a redactor does, as far as a log is concerned.
func hideCanaries(text string) string {
	return strings.NewReplacer(canary, "[redacted A]", spacyCanary, "[redacted B]").Replace(text)
}

// checkHidden looks into every file of a thread, and counts the places where the canaries were.
func checkHidden(t *testing.T, s *Store, id, what string, places int) {
	t.Helper()
	entries, err := os.ReadDir(s.Dir(id))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		content := logFileText(t, s, id, e.Name())
		if strings.Contains(content, canary) || strings.Contains(content, spacyCanary) {
			t.Errorf("%s: %s holds the secret", what, e.Name())
		}
		found += strings.Count(content, "[redacted ")
	}
	if found != places {
		t.Errorf("%s: %d secrets were replaced, want %d", what, found, places)
	}
}

// TestSecretCutAnywhere: cut at every byte, by two writes, in lines that end and in one that does not.
func TestSecretCutAnywhere(t *testing.T) {
	s := open(t, t.TempDir())
	for _, secret := range []string{canary, spacyCanary} {
		for name, frame := range map[string][2]string{
			"line": {"a ", " z\n"}, "alone": {"", "\n"}, "no end": {"the key is ", ""}, "next line": {"x\ny ", "\nz"},
		} {
			id := register(t, s, New{}).ID
			log := createLog(t, s, id, hideCanaries, 0)
			for at := range len(secret) + 1 {
				write(t, log.Stderr(), frame[0]+secret[:at])
				write(t, log.Stderr(), secret[at:]+frame[1])
			}
			closeLog(t, log)
			checkHidden(t, s, id, name+" "+secret, len(secret)+1)
		}
	}
}

// TestSecretCutByTheLengthOfALine: at every place around the one where a part of a long line is written.
func TestSecretCutByTheLengthOfALine(t *testing.T) {
	s := open(t, t.TempDir())
	for _, secret := range []string{canary, spacyCanary} {
		for _, border := range []int{chunkLength - secretLength, chunkLength} {
			for at := border - len(secret) - 1; at <= border+1; at++ {
				id := register(t, s, New{}).ID
				log := createLog(t, s, id, hideCanaries, 0)
				write(t, log.Stdout(), strings.Repeat("x", at)+secret+strings.Repeat(" y", chunkLength))
				closeLog(t, log)
				checkHidden(t, s, id, fmt.Sprintf("secret at %d", at), 1)
			}
		}
	}
}

// TestSecretsWithoutEnd: a line that is nothing but secrets is held back only so far.
func TestSecretsWithoutEnd(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	log := createLog(t, s, id, hideCanaries, 0)
	const times = 3 * mostHeld / len(canary)
	for range times {
		write(t, log.Stdout(), canary)
		if held := len(log.stdout.held); held > mostHeld+chunkLength {
			t.Fatalf("%d bytes are held back", held)
		}
	}
	closeLog(t, log)
	if got := strings.Count(logFileText(t, s, id, "stdout.log"), canary); got > 0 {
		t.Errorf("%d secrets of %d were written", got, times)
	}
}

// TestSeveralLinesAreCleanedTogether: as many as are there.
func TestSeveralLinesAreCleanedTogether(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	log := createLog(t, s, id, func(text string) string { return strings.ReplaceAll(text, "one\ntwo", "[redacted]") }, 0)
	write(t, log.Stdout(), "a one\ntwo b\n")
	closeLog(t, log)
	if got := logFileText(t, s, id, "stdout.log"); got != "a [redacted] b\n" {
		t.Errorf("%q", got)
	}
}

// TestLateLine: what was said of a line is there after a while, but not a word that may go on; and a secret that comes in
// two pieces with a long pause between them is not there at all.
func TestLateLine(t *testing.T) {
	for at := range len(canary) + 1 {
		s := open(t, t.TempDir())
		id := register(t, s, New{}).ID
		synctest.Test(t, func(t *testing.T) {
			log := createLog(t, s, id, hideCanaries, 0)
			write(t, log.Stdout(), "done\nthe key is "+canary[:at])
			if got := logFileText(t, s, id, "stdout.log"); got != "done\n" {
				t.Errorf("at once: %q", got)
			}
			time.Sleep(lineTime)
			synctest.Wait()
			want := "done\nthe key is "
			if at == len(canary) { // a whole secret may be the start of a longer one
				want = "done\n"
			}
			if got := logFileText(t, s, id, "stdout.log"); got != want {
				t.Errorf("after a while: %q", got)
			}
			write(t, log.Stdout(), canary[at:]+"!")
			time.Sleep(2 * lineTime)
			synctest.Wait()
			closeLog(t, log)
		})
		checkHidden(t, s, id, fmt.Sprintf("cut at %d", at), 1)
		if got := logFileText(t, s, id, "stdout.log"); got != "done\nthe key is [redacted A]!" {
			t.Errorf("%q", got)
		}
	}
}

func TestWriteAfterClose(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	log := createLog(t, s, id, hideCanaries, 0)
	closeLog(t, log)
	if _, err := log.Stdout().Write([]byte("late\n")); err == nil {
		t.Error("a closed log takes more")
	}
}

// TestSecretOfSeveralLines: in two writes, cut at every byte, with a pause in between in which what is late is written.
func TestSecretOfSeveralLines(t *testing.T) {
	s := open(t, t.TempDir())
	const secret = "-- BEGIN --\none\ntwo words\n-- END --"
	for at := range len(secret) + 1 {
		id := register(t, s, New{}).ID
		log, err := s.CreateLog(id, knowing(secret), 0)
		if err != nil {
			t.Fatal(err)
		}
		write(t, log.Stdout(), "the key is "+secret[:at])
		log.stdout.lineIsLate()
		write(t, log.Stdout(), secret[at:]+", so it is\n-- BEGIN --\nanother one\n")
		closeLog(t, log)
		if got, want := logFileText(t, s, id, "stdout.log"), "the key is [redacted], so it is\n-- BEGIN --\nanother one\n"; got != want {
			t.Errorf("cut at %d: %q, want %q", at, got, want)
		}
	}
}
