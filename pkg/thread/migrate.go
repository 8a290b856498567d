package thread

import (
	"context"
	"embed"
	"io/fs"

	"github.com/ryeos/rye/pkg/item"
)

// scripts are the migrations in order. A script that was released is never edited: databases have run it already.
//
//go:embed migrations/*.sql
var scripts embed.FS

const applicationID = 0x72796574 // "ryet" in the header of the file

func migrations() []string {
	names, err := fs.Glob(scripts, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	return names
}

// version reads the version of the schema and refuses databases that are not ours to change.
func (s *Store) version(ctx context.Context, q querier) (int, error) {
	var version, application, tables int
	err := q.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`).Scan(&version, &application, &tables)
	switch known := len(migrations()); {
	case err != nil:
		return 0, err
	case tables > 0 && application != applicationID:
		return 0, item.Errorf(item.TypeUnavailable, "%s is a database of another program", s.path).
			Hint("move it away: mv %s %s.other", s.path, s.path)
	case version > known:
		return 0, item.Errorf(item.TypeUnavailable, "%s was written by a newer rye: its schema is version %d, this rye knows %d",
			s.path, version, known).Hint("use the newer rye, or move the file away to start a new registry")
	}
	return version, nil
}

// migrate brings the schema up to date: all missing steps or none. The version is looked at once more inside, as
// another process may have been faster.
func (s *Store) migrate(ctx context.Context) error {
	return s.write(ctx, "migrate", full, func(tx *tx) error {
		version, err := s.version(ctx, tx)
		if err != nil {
			return err
		}
		steps := migrations()
		for _, name := range steps[version:] {
			script, err := fs.ReadFile(scripts, name)
			if err != nil {
				return err
			}
			if _, err := tx.exec(string(script)); err != nil {
				return err
			}
			crashPoint(name)
		}
		_, err = tx.exec(pragma("user_version", len(steps)))
		return err
	})
}
