package thread

import (
	"bytes"
	"context"
	"maps"
	"math"
	"os"
)

// tailOf finds the last lines of a log: the offsets from which to read, and a filter for the lines that are too many,
// because each stream alone has as many as are asked for in all. Two short readings do, however long the log is: one from
// the ends of the files backwards, and one that counts.
func (s *Store) tailOf(ctx context.Context, id string, o LogOptions, give func(LogChunk) error) (map[string]int64, func(LogChunk) error, error) {
	lines, unfinished := 0, 0
	count := s.newReader(id, o, func(c LogChunk) error {
		lines += bytes.Count(c.Data, []byte("\n"))
		unfinished = 1
		if c.Data[len(c.Data)-1] == '\n' {
			unfinished = 0
		}
		return nil
	})
	count.opts.Follow = false
	defer count.close()
	if err := count.open(); err != nil {
		return nil, nil, err
	}
	from := map[string]int64{}
	maps.Copy(from, o.From)
	for stream, file := range count.files {
		start, err := lastLines(ctx, file, min(o.Tail, math.MaxInt-1)+1) // one more, whose end is where the tail begins
		if err != nil {
			return nil, nil, err
		}
		from[stream] = max(start, o.From[stream])
		count.next[stream] = from[stream]
	}
	if err := count.run(ctx); err != nil {
		return nil, nil, err
	}
	return from, skipLines(max(0, lines+unfinished-o.Tail), give), nil
}

// lastLines is where the last n lines of a file begin, or a line before that if the last one has no end.
func lastLines(ctx context.Context, file *os.File, n int) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	buffer := make([]byte, chunkLength)
	for end := info.Size(); end > 0 && ctx.Err() == nil; {
		start := max(0, end-chunkLength)
		block := buffer[:end-start]
		if _, err := file.ReadAt(block, start); err != nil {
			return 0, err
		}
		for at := bytes.LastIndexByte(block, '\n'); at >= 0; at = bytes.LastIndexByte(block[:at], '\n') {
			if n--; n < 0 {
				return start + int64(at) + 1, nil
			}
		}
		end = start
	}
	return 0, ctx.Err()
}

// skipLines leaves out the first n lines.
func skipLines(n int, give func(LogChunk) error) func(LogChunk) error {
	return func(c LogChunk) error {
		for ; n > 0; n-- {
			end := bytes.IndexByte(c.Data, '\n') + 1
			if end == 0 {
				return nil
			}
			c.Offset, c.Data = c.Offset+int64(end), c.Data[end:]
		}
		if len(c.Data) == 0 {
			return nil
		}
		return give(c)
	}
}
