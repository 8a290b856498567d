package thread

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ryeos/rye/pkg/record"
)

// Records are the documents of the agent runtime. They last as the registry does: what an Update did is on the disk, past a
// power cut, when it returns. The documents of a thread are gone as soon as Prune has removed its row.
func (s *Store) Records() record.Storage { return records{s} }

type records struct{ store *Store }

func (r records) View(ctx context.Context, f func(record.Reader) error) error {
	began, err := r.store.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return r.store.explain("view records", err)
	}
	defer began.Rollback()
	return f(recordTx{r.store, &tx{Tx: began, ctx: ctx}})
}

func (r records) Update(ctx context.Context, f func(record.Tx) error) error {
	var failed error
	err := r.store.write(ctx, "update records", full, func(tx *tx) error {
		failed = f(recordTx{r.store, tx})
		return failed
	})
	if failed != nil {
		return failed // which is the caller's, and not explained as one of the registry
	}
	return err
}

// recordTx reads and writes documents in a transaction.
type recordTx struct {
	store *Store
	*tx
}

func (t recordTx) Get(k record.Key) ([]byte, error) {
	var document []byte
	err := t.row(`SELECT CAST(document AS BLOB) FROM documents WHERE thread_id = ? AND bucket = ? AND name = ?`,
		k.Thread, k.Bucket, k.Name).Scan(&document)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, t.store.explain("get record", err)
	}
	return present(document), nil
}

func (t recordTx) Scan(thread, bucket string, r record.Range) ([]record.Entry, error) {
	list, err := t.scan(thread, bucket, r)
	return list, t.store.explain("scan records", err)
}

func (t recordTx) scan(thread, bucket string, r record.Range) ([]record.Entry, error) {
	query := `SELECT name, CAST(document AS BLOB) FROM documents WHERE thread_id = ? AND bucket = ?`
	args := []any{thread, bucket}
	if r.After != "" {
		query, args = query+` AND name > ?`, append(args, r.After)
	}
	if r.Before != "" {
		query, args = query+` AND name < ?`, append(args, r.Before)
	}
	query += ` ORDER BY name`
	if r.Last {
		query += ` DESC`
	}
	if r.Limit > 0 {
		query, args = query+` LIMIT ?`, append(args, r.Limit)
	}
	rows, err := t.QueryContext(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []record.Entry
	for rows.Next() {
		var e record.Entry
		if err := rows.Scan(&e.Name, &e.Document); err != nil {
			return nil, err
		}
		e.Document = present(e.Document)
		list = append(list, e)
	}
	return list, rows.Err()
}

// present tells an empty document from none.
func present(document []byte) []byte {
	if document == nil {
		return []byte{}
	}
	return document
}

func (t recordTx) Put(k record.Key, document []byte) error {
	return t.store.explain("put record", t.put(k, present(document)))
}

// pieceLength lets eight pieces with their names fill a page of 4 KiB.
const pieceLength = 484

func (t recordTx) put(k record.Key, document []byte) error {
	bucket, err := t.bucket(k.Thread, k.Bucket)
	if err != nil {
		return err
	}
	if _, err := t.exec(`DELETE FROM pieces WHERE bucket_id = ? AND name = ?`, bucket, k.Name); err != nil {
		return err
	}
	insert, err := t.PrepareContext(t.ctx, `INSERT INTO pieces (bucket_id, name, part, piece) VALUES (?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for part := 0; part == 0 || len(document) > 0; part++ {
		piece := document[:min(len(document), pieceLength)]
		if _, err := insert.ExecContext(t.ctx, bucket, k.Name, part, piece); err != nil {
			return err
		}
		document = document[len(piece):]
	}
	return nil
}

// bucket finds the number of a bucket, or gives it one, which it keeps as long as its thread is there.
func (t recordTx) bucket(thread, bucket string) (id int64, err error) {
	err = t.row(`SELECT id FROM buckets WHERE thread_id = ? AND bucket = ?`, thread, bucket).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = t.row(`INSERT INTO buckets (thread_id, bucket) VALUES (?, ?) RETURNING id`, thread, bucket).Scan(&id)
	}
	return id, err
}

func (t recordTx) Delete(k record.Key) error {
	_, err := t.exec(`DELETE FROM pieces WHERE bucket_id = (SELECT id FROM buckets WHERE thread_id = ? AND bucket = ?) AND name = ?`,
		k.Thread, k.Bucket, k.Name)
	return t.store.explain("delete record", err)
}

// removeBatch is how many pieces one transaction removes, so that others do not wait long.
const removeBatch = 20_000

// removeRecords deletes the documents of threads whose rows are gone.
func (s *Store) removeRecords(ctx context.Context, batch int) error {
	for n := int64(1); n > 0; {
		err := s.write(ctx, "remove records", normal, func(tx *tx) (err error) {
			n, err = tx.changes(`DELETE FROM pieces WHERE (bucket_id, name, part) IN (SELECT bucket_id, name, part
				FROM buckets JOIN pieces ON bucket_id = id WHERE thread_id IS NULL LIMIT ?)`, batch)
			if err == nil && n == 0 {
				_, err = tx.exec(`DELETE FROM buckets WHERE thread_id IS NULL`)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
