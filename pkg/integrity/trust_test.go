package integrity

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ryeos/rye/pkg/item"
)

// edit changes the text of every document.
func edit(docs fstest.MapFS, old, new string) fstest.MapFS {
	changed := fstest.MapFS{}
	for name, file := range docs {
		changed[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(file.Data), old, new))}
	}
	return changed
}

// rename files every document under another name.
func rename(docs fstest.MapFS, name string) fstest.MapFS {
	for _, file := range docs {
		return fstest.MapFS{name: file}
	}
	return nil
}

func TestTrustStore(t *testing.T) {
	ann, bob, eve := testKey(1), testKey(2), testKey(3)
	doc := func(key, signer *Key) fstest.MapFS { return documentOf(t, key, "owner", signer) }
	fingerprint := func(key *Key) string { return key.Public().Fingerprint() }

	for name, test := range map[string]struct {
		system, user, project fstest.MapFS
		key                   *Key
		space                 string // where it is trusted, "" when it is not
		reason, fix           string // of the ignored document
	}{
		"nowhere":                       {key: ann},
		"unsigned user document":        {user: doc(ann, nil), key: ann, space: "user"},
		"unsigned system document":      {system: doc(ann, nil), key: ann, space: "system"},
		"system comes first":            {system: doc(ann, nil), user: doc(ann, nil), key: ann, space: "system"},
		"self-signed":                   {user: doc(ann, ann), key: ann, space: "user"},
		"signed by a trusted key":       {user: join(doc(ann, nil), doc(bob, ann)), key: bob, space: "user"},
		"signed by a system key":        {system: doc(ann, nil), user: doc(bob, ann), key: bob, space: "user"},
		"chain of signers":              {user: join(doc(ann, ann), doc(bob, ann), doc(eve, bob)), key: eve, space: "user"},
		"project, signed by the user":   {user: doc(ann, nil), project: doc(bob, ann), key: bob, space: "project"},
		"broken one does not hide":      {user: edit(doc(ann, ann), "owner", "other"), project: doc(ann, bob), system: doc(bob, nil), key: ann, space: "project"},
		"signed by an unknown key":      {user: doc(bob, ann), key: bob, reason: "it is signed by the key " + fingerprint(ann) + ", which is not trusted", fix: "rye keys trust user/" + fingerprint(bob) + ".toml"},
		"two for each other":            {user: join(doc(ann, bob), doc(bob, ann)), key: bob, reason: "not trusted"},
		"project, unsigned":             {project: doc(eve, nil), key: eve, reason: "counts only when", fix: "rye keys trust project/" + fingerprint(eve) + ".toml"},
		"project, self-signed":          {project: doc(eve, eve), key: eve, reason: "cannot vouch for itself", fix: "rye keys trust project/"},
		"project, by a project key":     {user: doc(ann, nil), project: join(doc(bob, ann), doc(eve, bob)), key: eve, reason: "is not trusted"},
		"project, circle":               {project: join(doc(bob, eve), doc(eve, bob)), key: eve, reason: "is not trusted"},
		"edited after signing":          {user: edit(doc(ann, ann), "owner = \"owner\"", "owner = \"other\""), key: ann, reason: "it was modified since signing", fix: "rm user/"},
		"project, edited":               {user: doc(ann, nil), project: edit(doc(bob, ann), "owner = \"owner\"", "owner = \"other\""), key: bob, reason: "modified", fix: "rm project/"},
		"signature of another document": {user: edit(doc(ann, ann), "05:06:07Z", "05:06:08Z"), key: ann, reason: "the signature by " + fingerprint(ann) + " is not valid"},
		"sloppy signature line":         {user: edit(doc(ann, ann), "# rye:", "#  rye:"), key: ann, reason: "Signature line is malformed"},
		"version 1 line":                {user: edit(doc(ann, ann), ":v2:", ":"), key: ann, reason: "old format 1"},
		"another key's name":            {user: rename(doc(eve, nil), fingerprint(ann)+".toml"), key: ann, reason: "its name is not its key's fingerprint, " + fingerprint(eve)},
		"another fingerprint inside":    {user: edit(doc(ann, nil), "fingerprint = \"", "fingerprint = \"0"), key: ann, reason: "the document's fingerprint is \"0" + fingerprint(ann)},
		"no TOML":                       {user: edit(doc(ann, nil), "owner =", "owner"), key: ann, reason: "not valid TOML"},
		"terminal tricks":               {user: edit(doc(ann, nil), "\"owner\"", `"a\u001b[2J"`), key: ann, reason: "control or invisible character"},
	} {
		t.Run(name, func(t *testing.T) {
			// The order of the sources and the flag alone decide, whatever order the caller chose.
			store := NewTrustStore(
				TrustSource{Space: "project", FS: test.project, Display: "project", NeedsSignature: true},
				TrustSource{Space: "system", FS: test.system, Display: "system"},
				TrustSource{Space: "user", FS: test.user, Display: "user"},
			)
			for range 2 { // the second time from the cache
				checkLookup(t, store, fingerprint(test.key), test.space, test.reason, test.fix)
			}
		})
	}
}

func checkLookup(t *testing.T, store *TrustStore, fingerprint, space, reason, fix string) {
	t.Helper()
	key, err := store.Lookup(fingerprint)
	keys, ignored := store.List()
	listed := slices.ContainsFunc(keys, func(k TrustedKey) bool { return k.Fingerprint == fingerprint && k.Space == space })
	if space != "" {
		if err != nil || key.Fingerprint != fingerprint || key.Space != space || key.File != space+"/"+fingerprint+".toml" || !listed {
			t.Fatalf("%v %+v, listed %v", err, key, listed)
		}
		return
	}
	var unknown *UnknownKeyError
	if !errors.As(err, &unknown) || listed || key != (TrustedKey{}) {
		t.Fatalf("%+v %v, listed %v", key, err, listed)
	}
	if reason == "" {
		return
	}
	for _, list := range [][]Ignored{unknown.Ignored, ignored} {
		if !slices.ContainsFunc(list, func(i Ignored) bool {
			return i.Fingerprint == fingerprint && strings.Contains(i.Reason, reason) && strings.HasPrefix(i.Fix, fix)
		}) {
			t.Errorf("no document is ignored because of %q, to be fixed with %q: %+v", reason, fix, list)
		}
	}
}

// TestIgnoredDocumentInHint: who is refused because of a project's key is told how to accept that key.
func TestIgnoredDocumentInHint(t *testing.T) {
	eve := testKey(3)
	store := NewTrustStore(TrustSource{Space: "project", FS: documentOf(t, eve, "eve", eve), Display: ".ai/config/keys/trusted", NeedsSignature: true})
	_, err := (&Verifier{Trust: store}).Verify(sign(t, eve, item.Tool, "x.py", script))
	e, failure := failureOf(t, err)
	want := "rye keys trust .ai/config/keys/trusted/" + eve.Public().Fingerprint() + ".toml"
	if failure.Reason != Untrusted || !strings.HasSuffix(e.Hints[0], want) || e.Hints[1] != "Or sign it yourself: rye sign tool:x" {
		t.Errorf("%q", e.Hints)
	}
}

// TestTrustStoreSeesChanges: a document that is added, changed or removed counts from the next lookup on.
func TestTrustStoreSeesChanges(t *testing.T) {
	ann := testKey(1)
	docs := fstest.MapFS{}
	store := NewTrustStore(TrustSource{Space: "user", FS: docs, Display: "user"})
	step := func(change fstest.MapFS, owner string) {
		t.Helper()
		clear(docs)
		maps.Copy(docs, change)
		key, err := store.Lookup(ann.Public().Fingerprint())
		if key.Owner != owner || (err == nil) != (owner != "") {
			t.Fatalf("owner %q instead of %q: %v", key.Owner, owner, err)
		}
	}
	step(nil, "")
	step(documentOf(t, ann, "ann", nil), "ann")
	step(documentOf(t, ann, "anna", ann), "anna")
	step(edit(documentOf(t, ann, "anna", ann), "anna", "eve"), "")
	step(nil, "")
}

func TestListReportsForeignFiles(t *testing.T) {
	ann := testKey(1)
	docs := join(documentOf(t, ann, "ann", nil), fstest.MapFS{
		"README.md": {}, "friend.toml": {}, strings.ToUpper(ann.Public().Fingerprint()) + "A.toml": {}, "0123456789abcdef.toml/x": {},
	})
	keys, ignored := NewTrustStore(TrustSource{Space: "user", FS: docs, Display: "user"}).List()
	if len(keys) != 1 || keys[0].Owner != "ann" || len(ignored) != 3 {
		t.Fatalf("%+v %+v", keys, ignored)
	}
	for _, i := range ignored {
		if i.Reason == "" || i.Fix == "" || i.Space != "user" || !strings.HasPrefix(i.File, "user/") {
			t.Errorf("%+v", i)
		}
	}
}

func TestLookupOfNonsense(t *testing.T) {
	store := NewTrustStore(TrustSource{FS: unreadableFS{}, Display: "user"})
	for _, fingerprint := range []string{"", "x", "../../../../etc/", "0123456789ABCDEF", "0123456789abcdef0"} {
		var unknown *UnknownKeyError
		if _, err := store.Lookup(fingerprint); !errors.As(err, &unknown) {
			t.Errorf("%q: %v", fingerprint, err)
		}
	}
}
