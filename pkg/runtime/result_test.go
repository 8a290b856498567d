package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/runtime"
)

// shape runs a shell script as a tool and shapes what it left. config is further config of the tool.
func shape(t *testing.T, script, config string) runtime.Outcome {
	t.Helper()
	_, in := yamlTool(t, "config:", "  command: /bin/sh", `  args: ["-c", "{command}"]`, "  "+config)
	p := plan(t, in, map[string]any{"command": script})
	result, err := p.Run(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Shape(result)
}

// Design §5: an object is the data, other JSON becomes {"result": value}, anything else the streams.
func TestShape(t *testing.T) {
	streams := func(stdout, stderr string, code string) string {
		return `{"stdout":` + stdout + `,"stderr":` + stderr + `,"return_code":` + code + `,"exit_code":` + code + `,"truncated":false}`
	}
	for _, test := range []struct{ script, data, failure string }{
		{`echo '{"b":1,"a":[2]}'`, `{"b":1,"a":[2]}`, ""},
		{`echo '{"n":12345678901234567890}'`, `{"n":12345678901234567890}`, ""},
		{`printf '\n  {"a":1}\n\n'`, `{"a":1}`, ""},
		{`echo '[1,2]'`, `{"result":[1,2]}`, ""},
		{`echo 42`, `{"result":42}`, ""},
		{`echo '"text"'`, `{"result":"text"}`, ""},
		{`echo true`, `{"result":true}`, ""},
		{`echo '{}'`, `{}`, ""},
		{`echo '[]'`, `{"result":[]}`, ""},
		{`echo 0`, `{"result":0}`, ""},
		{`echo '""'`, `{"result":""}`, ""},
		{`echo null`, `{"result":null}`, ""},
		{`echo false`, `{"result":false}`, ""},
		{`true`, streams(`""`, `""`, "0"), ""},
		{`echo hi; echo err >&2`, streams(`"hi\n"`, `"err\n"`, "0"), ""},
		{`echo '{"a":1} {"b":2}'`, streams(`"{\"a\":1} {\"b\":2}\n"`, `""`, "0"), ""},
		{`echo '{"a":NaN}'`, streams(`"{\"a\":NaN}\n"`, `""`, "0"), ""},
		{`printf 'a\377b'`, streams("\"a\ufffdb\"", `""`, "0"), ""},
		{`echo '{"success":true,"error":"no"}'`, `{"success":true,"error":"no"}`, ""},
		{`echo '{"success":"false"}'`, `{"success":"false"}`, ""},
		{`echo '{"success":false,"error":"it broke"}'`, `{"success":false,"error":"it broke"}`, "it broke"},
		{`echo '{"success":false,"stderr":"said so"}'`, `{"success":false,"stderr":"said so"}`, "said so"},
		{`echo '{"success":false}'`, `{"success":false}`, "the tool reported success: false"},
		{`echo '{"a":1}'; echo why >&2; exit 3`, `{"a":1}`, "exited with code 3: why"},
		{`echo '{"success":true}'; exit 3`, `{"success":true}`, "exited with code 3"},
		{`echo '[1]'; exit 1`, `{"result":[1]}`, "exited with code 1"},
		{`echo out; exit 7`, streams(`"out\n"`, `""`, "7"), "exited with code 7"},
		{`kill -KILL $$`, streams(`""`, `""`, "-1"), "killed by SIGKILL"},
	} {
		o := shape(t, test.script, "timeout: 60")
		if got := marshal(t, o.Data); got != test.data {
			t.Errorf("%s: got %s, want %s", test.script, got, test.data)
		}
		failsWith(t, test.script, o.Err, test.failure, item.TypeFailed)
	}
}

func failsWith(t *testing.T, what string, err error, message string, want item.ErrorType) {
	t.Helper()
	switch {
	case message == "" && err != nil:
		t.Errorf("%s: failed: %v", what, err)
	case message != "" && (err == nil || err.Error() != message || item.TypeOf(err) != want):
		t.Errorf("%s: got %s error %v, want %q", what, item.TypeOf(err), err, message)
	}
}

// With result: text, output is text even when it happens to be JSON.
func TestShapeText(t *testing.T) {
	for script, want := range map[string]string{
		`echo '{"success":false}'`: `{"success":true,"output":"{\"success\":false}\n","stdout":"{\"success\":false}\n","stderr":"","return_code":0,"exit_code":0,"truncated":false}`,
		`echo a; echo b >&2`:       `{"success":true,"output":"a\n\n[stderr]\nb\n","stdout":"a\n","stderr":"b\n","return_code":0,"exit_code":0,"truncated":false}`,
		`echo only errors >&2`:     `{"success":true,"output":"[stderr]\nonly errors\n","stdout":"","stderr":"only errors\n","return_code":0,"exit_code":0,"truncated":false}`,
		`printf x; exit 2`:         `{"success":false,"output":"x","stdout":"x","stderr":"","return_code":2,"exit_code":2,"truncated":false}`,
	} {
		o := shape(t, script, "result: text")
		if got := marshal(t, o.Data); got != want {
			t.Errorf("%s: got %s, want %s", script, got, want)
		}
		if failed := o.Err != nil; failed != strings.Contains(want, `"success":false,"output"`) {
			t.Errorf("%s: error %v", script, o.Err)
		}
	}
}

// JSON that was cut in the middle is not JSON any more, even if what is left of it is.
func TestShapeTruncated(t *testing.T) {
	o := shape(t, `printf '"'; head -c 100000 /dev/zero | tr '\0' x; printf '"'`, "max_output: 1000")
	s, ok := o.Data.(*item.Streams)
	if !ok || !s.Truncated || !strings.Contains(s.Stdout, "[output truncated, 100002 bytes total]") || len(s.Stdout) > 2000 {
		t.Errorf("got %T, %.100v", o.Data, o.Data)
	}
}

func TestShapeOfATimeout(t *testing.T) {
	o := shape(t, `echo '{"partial":true}'; sleep 60`, "timeout: 0.2")
	failsWith(t, "a timeout", o.Err, "timed out after 200ms (limit set by x)", item.TypeTimeout)
	if data, ok := o.Data.(json.RawMessage); !ok || string(data) != `{"partial":true}` {
		t.Errorf("data %s", o.Data)
	}
}

func TestShapeOfAnInterruption(t *testing.T) {
	_, in := yamlTool(t, `config: {command: /bin/sh, args: ["-c", "echo started; sleep 60"]}`)
	p := plan(t, in, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	started := writer(func([]byte) { cancel(context.Canceled) })
	result, err := p.Run(ctx, started, nil)
	if err != nil {
		t.Fatal(err)
	}
	failsWith(t, "an interruption", p.Shape(result).Err, "interrupted: context canceled", item.TypeInterrupted)
}

func TestInterruptedBeforeTheStart(t *testing.T) {
	_, in := yamlTool(t, `config: {command: /bin/sh, args: ["-c", "echo started"]}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&process.StopError{Reason: "no more"})
	_, err := plan(t, in, nil).Run(ctx, writer(func([]byte) { t.Error("it ran") }), nil)
	failsWith(t, "an interruption", err, "interrupted: no more", item.TypeInterrupted)
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

// A failure repeats the end of a long standard error, which says why, and not all of it.
func TestFailureRepeatsTheEndOfStandardError(t *testing.T) {
	o := shape(t, `head -c 50000 /dev/zero | tr '\0' e >&2; echo ' the reason' >&2; exit 1`, "timeout: 60")
	if o.Err == nil || len(o.Err.Error()) > 5000 || !strings.HasSuffix(o.Err.Error(), "e the reason") {
		t.Errorf("got %.200v", o.Err)
	}
}

func TestRunCannotStart(t *testing.T) {
	w, in := yamlTool(t, `config: {command: "${SCRIPT}"}`)
	in.Env = append(in.Env, "SCRIPT="+w.User.Program("script", "#!/no/such/interpreter\n"))
	p := plan(t, in, nil)
	_, err := p.Run(t.Context(), nil, nil)
	if item.TypeOf(err) != item.TypeUnavailable || !strings.Contains(err.Error(), "the interpreter that its first line or its format names is missing") {
		t.Errorf("got %s error %v", item.TypeOf(err), err)
	}
}

// Standard input of any size is written while the output is read: neither waits for the other.
func TestLargeParametersTravelOnStandardInput(t *testing.T) {
	_, in := yamlTool(t, `config: {command: /bin/cat, input_data: "{params_json}", max_output: 20000000}`)
	p := plan(t, in, map[string]any{"text": strings.Repeat("x", 8<<20)})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := p.Run(ctx, nil, nil)
	if err != nil || result.Stdout.Total != int64(len(p.Stdin)) || p.Shape(result).Err != nil {
		t.Errorf("%d bytes of %d came back, %v", result.Stdout.Total, len(p.Stdin), err)
	}
}
