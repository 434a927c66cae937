package deb

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Key signs a repository. It is an RSA key in the form of OpenPGP version 4 (RFC 4880),
// of which this package writes only what apt reads, so that a lab needs no gpg.
type Key struct {
	private *rsa.PrivateKey
	created time.Time
}

const owner = "practice lab <lab@example.invalid>"

// NewKey makes a key; created is its date.
func NewKey(created time.Time) (*Key, error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	return &Key{private, created.Truncate(time.Second)}, nil
}

const pemType = "PRACTICE LAB KEY"

// PEM keeps the key; ParseKey reads it.
func (k *Key) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{
		Type: pemType, Bytes: x509.MarshalPKCS1PrivateKey(k.private),
		Headers: map[string]string{"Created": k.created.UTC().Format(time.RFC3339)},
	})
}

// ParseKey is the inverse of PEM.
func ParseKey(text []byte) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemType {
		return nil, errors.New("not the key of a practice lab")
	}
	created, err := time.Parse(time.RFC3339, block.Headers["Created"])
	if err != nil {
		return nil, err
	}
	private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	return &Key{private, created}, err
}

// body of the public key packet.
func (k *Key) body() []byte {
	b := []byte{4}
	b = binary.BigEndian.AppendUint32(b, uint32(k.created.Unix()))
	b = append(b, 1) // RSA
	b = appendInteger(b, k.private.N)
	return appendInteger(b, big.NewInt(int64(k.private.E)))
}

func appendInteger(b []byte, n *big.Int) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(n.BitLen()))
	return append(b, n.Bytes()...)
}

// framed is the public key as fingerprints and certifications hash it.
func (k *Key) framed() []byte {
	body := k.body()
	return append(binary.BigEndian.AppendUint16([]byte{0x99}, uint16(len(body))), body...)
}

func (k *Key) fingerprint() []byte {
	sum := sha1.Sum(k.framed())
	return sum[:]
}

// Fingerprint is 40 upper-case hex digits.
func (k *Key) Fingerprint() string { return fmt.Sprintf("%X", k.fingerprint()) }

// packet frames a body with the old length format of two or one bytes.
func packet(tag byte, body []byte) []byte {
	if len(body) < 256 {
		return append([]byte{0x80 | tag<<2, byte(len(body))}, body...)
	}
	return append(binary.BigEndian.AppendUint16([]byte{0x81 | tag<<2}, uint16(len(body))), body...)
}

// Public is the binary public key with its self-signed owner, as in a .gpg keyring.
func (k *Key) Public() ([]byte, error) {
	user := []byte(owner)
	message := append(k.framed(), 0xb4)
	message = binary.BigEndian.AppendUint32(message, uint32(len(user)))
	message = append(message, user...)
	flags := []byte{2, 27, 0x03} // may certify and sign
	certification, err := k.sign(0x13, message, k.created, flags)
	if err != nil {
		return nil, err
	}
	return append(append(packet(6, k.body()), packet(13, user)...), certification...), nil
}

// Armoured is Public as text, as in a .pub or .asc file.
func (k *Key) Armoured() (string, error) {
	public, err := k.Public()
	return armour("PGP PUBLIC KEY BLOCK", public), err
}

// sign makes a signature packet over a message; kind is RFC 4880's signature type.
func (k *Key) sign(kind byte, message []byte, at time.Time, extra []byte) ([]byte, error) {
	fingerprint := k.fingerprint()
	hashed := binary.BigEndian.AppendUint32([]byte{5, 2}, uint32(at.Unix()))
	hashed = append(append(hashed, 22, 33, 4), fingerprint...)
	hashed = append(hashed, extra...)
	head := binary.BigEndian.AppendUint16([]byte{4, kind, 1, 8}, uint16(len(hashed))) // RSA, SHA-256
	head = append(head, hashed...)
	trailer := binary.BigEndian.AppendUint32([]byte{4, 0xff}, uint32(len(head)))
	sum := sha256.Sum256(bytes.Join([][]byte{message, head, trailer}, nil))
	signed, err := rsa.SignPKCS1v15(rand.Reader, k.private, crypto.SHA256, sum[:])
	if err != nil {
		return nil, err
	}
	issuer := append([]byte{9, 16}, fingerprint[12:]...)
	body := binary.BigEndian.AppendUint16(head, uint16(len(issuer)))
	body = append(append(body, issuer...), sum[0], sum[1])
	return packet(2, appendInteger(body, new(big.Int).SetBytes(signed))), nil
}

// Detached is an armoured signature over a file, as in Release.gpg.
func (k *Key) Detached(text string, at time.Time) (string, error) {
	s, err := k.sign(0x00, []byte(text), at, nil)
	return armour("PGP SIGNATURE", s), err
}

// Clear is a text with its signature, as in InRelease. Lines of the text must not
// begin with a dash or end with blanks, which would need escapes.
func (k *Key) Clear(text string, at time.Time) (string, error) {
	text = strings.TrimSuffix(text, "\n")
	s, err := k.sign(0x01, []byte(strings.ReplaceAll(text, "\n", "\r\n")), at, nil)
	return "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" + text + "\n" + armour("PGP SIGNATURE", s), err
}

func armour(kind string, data []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-----BEGIN %s-----\n\n", kind)
	text := base64.StdEncoding.EncodeToString(data)
	for len(text) > 64 {
		b.WriteString(text[:64] + "\n")
		text = text[64:]
	}
	fmt.Fprintf(&b, "%s\n=%s\n-----END %s-----\n", text, base64.StdEncoding.EncodeToString(checksum(data)), kind)
	return b.String()
}

// checksum is RFC 4880's CRC-24.
func checksum(data []byte) []byte {
	crc := uint32(0xb704ce)
	for _, c := range data {
		crc ^= uint32(c) << 16
		for range 8 {
			crc <<= 1
			if crc&0x1000000 != 0 {
				crc ^= 0x1864cfb
			}
		}
	}
	return []byte{byte(crc >> 16), byte(crc >> 8), byte(crc)}
}
