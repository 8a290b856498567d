package agent

import (
	"errors"

	"github.com/ryeos/rye/pkg/record"
)

// watch looks at what other processes want, and gives the signs of life, as long as the flow runs.
func (f *flow) watch() {
	defer close(f.done)
	for beat := f.now(); f.clock.Sleep(f.ctx, look) == nil; {
		err := f.storage.View(f.ctx, f.check)
		if err == nil && f.now().Sub(beat) >= Heartbeat {
			beat, err = f.now(), f.beat()
		}
		if err != nil && f.ctx.Err() == nil && isOrder(err) {
			f.cancel(err)
			return
		}
	}
}

// isOrder tells errors that end a flow from those of a storage that may answer the next time.
func isOrder(err error) bool {
	return errors.Is(err, errStopped) || errors.Is(err, errFenced) || errors.Is(err, ErrTerminated)
}

func (f *flow) beat() error {
	return f.storage.Update(f.ctx, func(tx record.Tx) error {
		rec, err := f.fence(tx)
		if err != nil {
			return err
		}
		rec.Beat = f.now()
		return flowTable.put(tx, f.of, the, rec)
	})
}

// check is the fence, and whether somebody wants the flow to end.
func (f *flow) check(tx record.Reader) error {
	if _, err := f.fence(tx); err != nil {
		return err
	}
	if _, err := loadLive(tx, f.of); err != nil {
		return err
	}
	stop, err := stops.get(tx, f.of, the)
	if err == nil && stop != nil {
		err = errStopped
	}
	return err
}
