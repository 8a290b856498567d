package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// A secret that is not text is taken out before what is not text is replaced.
func TestSecretThatIsNoText(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("leak.sh", "# __executor_id__ = \"rye/core/runtimes/bash/bash\"\nprintf 'token: %s' \"$APP_TOKEN\" >&2\nexit 1\n")
	e := w.Engine(func(o *engine.Options) { o.Env = append(o.Env, "APP_TOKEN=canary\xff\xfesecret") })
	resp := e.Execute(context.Background(), item.Request{Ref: "tool:leak"}, nil, nil)
	if resp.ErrorType != item.TypeFailed || !strings.Contains(resp.Error, "token: [redacted APP_TOKEN]") {
		t.Errorf("%s: %q", resp.ErrorType, resp.Error)
	}
}
