package redact

import "testing"

func TestLooks(t *testing.T) {
	for _, name := range []string{
		"API_KEY", "api_key", "OPENAI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GH_PAT", "CLIENT_SECRET",
		"DB_PASSWORD", "PGPASSWORD", "MYSQL_PWD", "PASSWD", "SMTP_PASS", "GOOGLE_APPLICATION_CREDENTIALS", "AUTH", "BASIC_AUTH",
		"npm_config__authToken", "COOKIE", "SESSION_ID", "PRIVATE_KEY", "STRIPE_APIKEY", "SENTRY_DSN", "DATABASE_URL", "APP_DATABASE_URL",
		"REDIS_URL", "JWT", "SSH_PASSPHRASE", "RYE_SIGNING_KEY", "RYE_PARAM_TOKEN", "SLACK_WEBHOOK_URL",
	} {
		if !Looks(name) {
			t.Errorf("%s does not look secret", name)
		}
	}
	for _, name := range []string{
		"", "_", "PATH", "HOME", "PWD", "OLDPWD", "KEYBOARD", "KEYBOARD_LAYOUT", "MONKEY", "AUTHOR", "GIT_AUTHOR_NAME", "XAUTHORITY",
		"SSH_AUTH_SOCK", "XDG_SESSION_TYPE", "DESKTOP_SESSION", "GDMSESSION", "DBUS_SESSION_BUS_ADDRESS", "MAX_TOKENS", "TOKENIZERS_PARALLELISM",
		"COMPASS", "PATCH", "RYE_SIGNING_KEY_DIR", "PASSWORD_FILE", "PUBLIC_KEY", "DEPLOY_PUBLIC_KEY", "HOMEPAGE_URL", "LANG", "TERM",
	} {
		if Looks(name) {
			t.Errorf("%s looks secret", name)
		}
	}
}

func TestPassword(t *testing.T) {
	for value, want := range map[string]string{
		"postgres://ann:s3cr%40t-pass@db.example:5432/app": "s3cr@t-pass",
		"http://proxy.example:3128":                        "",
		"https://ann@example.com/":                         "",
		"mail ann@example.com or see https://example.com":  "",
		"": "",
	} {
		if got := Password(value); got != want {
			t.Errorf("Password(%q) = %q, want %q", value, got, want)
		}
	}
}
