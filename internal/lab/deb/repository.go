package deb

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Repository is a flat apt repository: "deb URL /".
type Repository struct {
	Origin, Label string
	Packages      []Package
}

// Write makes the repository's folder, signed as of a date.
func (r Repository) Write(dir string, key *Key, at time.Time) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var index strings.Builder
	for _, p := range r.Packages {
		data, err := p.Bytes()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, p.FileName()), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&index, "%sFilename: ./%s\nSize: %d\nSHA256: %x\n\n", p.control(), p.FileName(), len(data), sha256.Sum256(data))
	}
	if err := os.WriteFile(filepath.Join(dir, "Packages"), []byte(index.String()), 0o644); err != nil {
		return err
	}
	zipped, err := zip([]byte(index.String()))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "Packages.gz"), zipped, 0o644); err != nil {
		return err
	}
	return r.Sign(dir, key, at)
}

func zip(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// Sign writes the Release files anew, as of a date; the packages stay.
func (r Repository) Sign(dir string, key *Key, at time.Time) error {
	text := fmt.Sprintf("Origin: %s\nLabel: %s\nArchitectures: amd64\nDate: %s\nSHA256:\n",
		r.Origin, r.Label, at.UTC().Format("Mon, 02 Jan 2006 15:04:05 UTC"))
	for _, name := range []string{"Packages", "Packages.gz"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		text += fmt.Sprintf(" %x %d %s\n", sha256.Sum256(data), len(data), name)
	}
	// The signature's own date is now: a signature from the future is another failure.
	clear, err := key.Clear(text, time.Now())
	if err != nil {
		return err
	}
	detached, err := key.Detached(text, time.Now())
	if err != nil {
		return err
	}
	for name, content := range map[string]string{"Release": text, "InRelease": clear, "Release.gpg": detached} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
		if err := os.Chtimes(path, at, at); err != nil { // apt asks web servers for what is newer than it has
			return err
		}
	}
	return nil
}
