package runtime

import (
	"fmt"
	"math"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// limits sets the deadline and the output cap, and remembers who set the deadline. Nearest to the caller wins: the
// request, then the engine key `timeout`, then execution.yaml for this tool, then the chain, then the defaults.
func (b *builder) limits(p *Plan) error {
	if err := b.timeout(p); err != nil {
		return err
	}
	p.TextResult = b.config.String("result") == "text"
	p.MaxOutput = b.in.Settings.MaxOutput
	if v, ok := b.config.Get("max_output"); ok {
		n, isNumber := item.Float(b.values(0).Value(fmt.Sprint(v)))
		if !isNumber && v != nil {
			n, isNumber = item.Float(v)
		}
		if !isNumber || n < 1 {
			return chainError(b.in.Chain, "config.max_output must be a number of bytes, at least 1")
		}
		p.MaxOutput = int(n)
	}
	if b.in.Settings.ToolMaxOutput > 0 {
		p.MaxOutput = b.in.Settings.ToolMaxOutput
	}
	return nil
}

func (b *builder) timeout(p *Plan) error {
	p.Timeout, p.TimeoutOwner = DefaultTimeout, "rye's default"
	if b.in.Settings.Timeout > 0 {
		p.Timeout, p.TimeoutOwner = b.in.Settings.Timeout, "config execution/execution.yaml"
	}
	if b.in.Timeout > 0 {
		p.Timeout, p.TimeoutOwner = b.in.Timeout, "the caller"
		return nil
	}
	if v, ok := b.steering["timeout"]; ok {
		return p.setTimeout(v, "the caller", item.TypeUsage)
	}
	if b.in.Settings.ToolTimeout > 0 {
		p.Timeout, p.TimeoutOwner = b.in.Settings.ToolTimeout, "config execution/execution.yaml"
		return nil
	}
	for _, e := range b.in.Chain.Elements {
		v, ok := e.Meta.Config.Get("timeout")
		if !ok || v == nil {
			continue
		}
		value := b.values(0).Tree(v)
		text, _ := v.(string)
		if len(template.Names(text)) == 0 {
			return p.setTimeout(value, e.ID, item.TypeChain)
		}
		if value == text {
			continue // "{timeout}" with no such parameter: the next element decides
		}
		return p.setTimeout(value, e.ID, item.TypeUsage) // the number came from the caller
	}
	return nil
}

func (p *Plan) setTimeout(v any, owner string, errType item.ErrorType) error {
	if text, ok := v.(string); ok {
		if n, isNumber := item.Number(text); isNumber {
			v = n
		}
	}
	seconds, ok := item.Float(v)
	if !ok || seconds <= 0 || math.IsNaN(seconds) || seconds > 366*24*3600 {
		return item.Errorf(errType, "the timeout of %s must be a positive number of seconds, got %v", owner, v)
	}
	p.Timeout, p.TimeoutOwner = time.Duration(seconds*float64(time.Second)), owner
	return nil
}
