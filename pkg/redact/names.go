package redact

import (
	"net/url"
	"slices"
	"strings"
)

// secretWords make a name look secret when they are one of its words; secretEnds when one of its words ends in them.
var (
	secretWords = []string{
		"KEY", "PASS", "AUTH", "COOKIE", "COOKIES", "SESSION", "PRIVATE", "CREDS", "DSN", "PAT", "JWT", "BEARER", "SALT", "WEBHOOK",
	}
	secretEnds = []string{
		"TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY",
		"CREDENTIAL", "CREDENTIALS",
	}
	secretNames = []string{
		"DATABASE_URL", "DB_URL", "REDIS_URL", "MONGO_URL", "MONGO_URI", "MONGODB_URI", "AMQP_URL", "CONNECTION_STRING",
	}
	// aboutSecrets are last words of names that say something about a secret and are none: SSH_AUTH_SOCK is the path of a
	// socket, XDG_SESSION_TYPE is wayland.
	aboutSecrets = []string{
		"FILE", "PATH", "DIR", "SOCK", "SOCKET", "TYPE", "NAME", "USER", "USERNAME", "HOST", "PORT", "ENABLED", "DESKTOP", "CLASS",
		"MANAGER", "ADDRESS", "TTL", "TIMEOUT", "LENGTH", "SIZE", "COUNT", "LIMIT", "ALGORITHM", "METHOD", "MODE", "PROVIDER",
		"REGION", "ENDPOINT", "PID", "SEAT",
	}
	harmlessNames = []string{"PWD", "OLDPWD", "DESKTOP_SESSION", "PUBLIC_KEY"}
)

// Looks reports whether a variable of this name is likely to hold a secret. It goes by whole words, so that KEYBOARD,
// MONKEY, AUTHOR and MAX_TOKENS do not look secret.
func Looks(name string) bool {
	name = strings.ToUpper(name)
	if slices.Contains(harmlessNames, name) || strings.HasSuffix(name, "_PUBLIC_KEY") {
		return false
	}
	if slices.ContainsFunc(secretNames, func(s string) bool { return name == s || strings.HasSuffix(name, "_"+s) }) {
		return true
	}
	words := strings.FieldsFunc(name, func(c rune) bool { return (c < 'A' || c > 'Z') && (c < '0' || c > '9') })
	if len(words) == 0 || slices.Contains(aboutSecrets, words[len(words)-1]) {
		return false
	}
	return words[len(words)-1] == "PWD" || slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(secretWords, word) ||
			slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(word, end) })
	})
}

// Password is the password in a URL, else "".
func Password(value string) string {
	if !strings.Contains(value, "://") || !strings.Contains(value, "@") {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(value))
	if err != nil || u.User == nil {
		return ""
	}
	password, _ := u.User.Password()
	return password
}
