package nvrepo

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Keys lists the fingerprints of the primary keys in a keyring, armoured or not. It
// reads what RFC 9580 calls version 4 keys, which is what apt repositories are signed
// with. Anything that is not a whole keyring is an error.
func Keys(ring []byte) ([]string, error) {
	if bytes.Contains(ring, []byte("-----BEGIN ")) {
		var err error
		if ring, err = dearmour(string(ring)); err != nil {
			return nil, err
		}
	}
	var keys []string
	for len(ring) > 0 {
		tag, body, rest, err := packet(ring)
		if err != nil {
			return nil, err
		}
		if tag == publicKeyTag {
			if len(body) == 0 || body[0] != 4 {
				return nil, errors.New("a key of a version that is not known here")
			}
			keys = append(keys, fingerprint(body))
		}
		ring = rest
	}
	if len(keys) == 0 {
		return nil, errors.New("no public key in it")
	}
	return keys, nil
}

const publicKeyTag = 6

// fingerprint of a version 4 key: RFC 9580, 5.5.4.2.
func fingerprint(body []byte) string {
	h := sha1.New()
	h.Write([]byte{0x99, byte(len(body) >> 8), byte(len(body))})
	h.Write(body)
	return strings.ToUpper(hex.EncodeToString(h.Sum(nil)))
}

// dearmour reads all armoured blocks of a text; their checksums are left aside, since
// what is in them is judged by its fingerprint.
func dearmour(text string) (ring []byte, err error) {
	const begin, end = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
	for {
		_, after, found := strings.Cut(text, begin)
		if !found {
			break
		}
		block, rest, closed := strings.Cut(after, end)
		_, data, headed := strings.Cut(strings.ReplaceAll(block, "\r", ""), "\n\n")
		if !closed || !headed {
			return nil, errors.New("an armoured block without its end")
		}
		if i := strings.LastIndex(data, "\n="); i >= 0 {
			data = data[:i]
		}
		raw, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(data, "\n", ""))
		if err != nil {
			return nil, fmt.Errorf("an armoured block: %w", err)
		}
		ring, text = append(ring, raw...), rest
	}
	if len(ring) == 0 {
		return nil, errors.New("no armoured public key in it")
	}
	return ring, nil
}

var errCut = errors.New("not an OpenPGP keyring, or cut off")

// packet splits one packet off: RFC 9580, 4.2, without partial lengths, which keys do
// not have.
func packet(b []byte) (tag int, body, rest []byte, err error) {
	if len(b) < 2 || b[0]&0x80 == 0 {
		return 0, nil, nil, errCut
	}
	var head, size int
	if b[0]&0x40 != 0 {
		tag = int(b[0] & 0x3f)
		head, size, err = newLength(b[1:])
	} else {
		tag = int(b[0]>>2) & 0x0f
		head, size, err = oldLength(b[0]&3, b[1:])
	}
	if err != nil || size < 0 || size > len(b)-1-head {
		return 0, nil, nil, errCut
	}
	b = b[1+head:]
	return tag, b[:size], b[size:], nil
}

func newLength(b []byte) (head, size int, err error) {
	switch {
	case b[0] < 192:
		return 1, int(b[0]), nil
	case b[0] < 224 && len(b) > 1:
		return 2, (int(b[0])-192)<<8 + int(b[1]) + 192, nil
	case b[0] == 255 && len(b) > 4:
		return 5, int(binary.BigEndian.Uint32(b[1:])), nil
	}
	return 0, 0, errCut
}

func oldLength(form byte, b []byte) (head, size int, err error) {
	switch {
	case form == 0:
		return 1, int(b[0]), nil
	case form == 1 && len(b) > 1:
		return 2, int(binary.BigEndian.Uint16(b)), nil
	case form == 2 && len(b) > 3:
		return 4, int(binary.BigEndian.Uint32(b)), nil
	}
	return 0, 0, errCut
}
