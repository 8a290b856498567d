//go:build !linux && !darwin

package runtime

import (
	"context"
	"errors"
	"net"
	"os"

	"github.com/ryeos/rye/pkg/process"
)

// warmStart starts nothing: no interpreter forks here.
type warmStart struct{ lost error }

func (p *Plan) starter(context.Context) *warmStart { return nil }

func (w *warmStart) Start(*process.Spec, string, [3]*os.File) process.Started { return nil }

func standing() string { return "" }

// Host keeps nothing here.
type Host struct{}

// NewHost fails.
func NewHost(context.Context, Warm, context.CancelFunc) (*Host, error) {
	return nil, errors.ErrUnsupported
}

// Serve does nothing.
func (h *Host) Serve(context.Context, *net.UnixConn) {}

// Wait does nothing.
func (h *Host) Wait() {}
