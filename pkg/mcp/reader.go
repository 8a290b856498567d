package mcp

import (
	"fmt"
	"math"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// reader takes values of the right type out of a mapping, and keeps the first error.
type reader struct {
	from *item.Object
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) text(key string) string {
	v, ok := r.from.Get(key)
	if !ok || v == nil {
		return ""
	}
	text, ok := v.(string)
	if !ok {
		r.fail("%s must be a string", key)
	}
	return text
}

func (r *reader) texts(key string) []string {
	v, ok := r.from.Get(key)
	if !ok || v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		r.fail("%s must be a list", key)
		return nil
	}
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = r.scalar(fmt.Sprintf("%s[%d]", key, i), e)
	}
	return texts
}

func (r *reader) mapping(key string) map[string]string {
	v, ok := r.from.Get(key)
	if !ok || v == nil {
		return nil
	}
	object, ok := v.(*item.Object)
	if !ok {
		r.fail("%s must be a mapping", key)
		return nil
	}
	texts := make(map[string]string, object.Len())
	for name, e := range object.All() {
		texts[name] = r.scalar(key+"."+name, e)
	}
	return texts
}

// scalar is a value as text: `PORT: 8080` need not be quoted.
func (r *reader) scalar(name string, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool, int64, float64:
		return fmt.Sprint(v)
	}
	r.fail("%s must be a string", name)
	return ""
}

func (r *reader) seconds(key string, otherwise time.Duration) time.Duration {
	const most = 24 * 3600
	return time.Duration(r.number(key, otherwise.Seconds(), most) * float64(time.Second))
}

// time is a number of seconds, which may be 0, or a text such as 5m.
func (r *reader) time(key string, otherwise time.Duration) time.Duration {
	v, ok := r.from.Get(key)
	if !ok || v == nil {
		return otherwise
	}
	d, err := ParseKeepAlive(fmt.Sprint(v))
	if err != nil {
		r.fail("%s: %w", key, err)
		return otherwise
	}
	return d
}

func (r *reader) bytes(key string, otherwise int) int {
	const most = 1 << 30
	return int(math.Ceil(r.number(key, float64(otherwise), most)))
}

func (r *reader) number(key string, otherwise, most float64) float64 {
	v, ok := r.from.Get(key)
	if !ok || v == nil {
		return otherwise
	}
	f, ok := item.Float(v)
	if !ok || !(f > 0 && f <= most) {
		r.fail("%s must be a positive number, at most %.0f", key, most)
		return otherwise
	}
	return f
}
