// Package kmod writes and reads kernel module files that hold nothing but what modinfo
// and depmod look for.
package kmod

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
)

// Module is what a module file says of itself.
type Module struct {
	Name, Version, License string
	Srcversion             string
	Vermagic               string
	Signer                 string // "" is unsigned
}

// Licenses of NVIDIA's two flavours, and of modules in the kernel's tree.
const (
	Open        = "Dual MIT/GPL"
	Proprietary = "NVIDIA"
)

// New is a module built for a kernel; the same source gives the same srcversion.
func New(name, version, license, kernel string) Module {
	sum := sha256.Sum256([]byte(name + "\n" + version + "\n" + license))
	return Module{
		Name: name, Version: version, License: license, Vermagic: kernel + " SMP preempt mod_unload modversions",
		Srcversion: fmt.Sprintf("%X", sum)[:23],
	}
}

// modinfo is the section of that name.
func (m Module) modinfo() []byte {
	var b bytes.Buffer
	for _, f := range [][2]string{
		{"version", m.Version},
		{"license", m.License},
		{"srcversion", m.Srcversion},
		{"depends", m.depends()},
		{"retpoline", "Y"},
		{"name", underscored(m.Name)},
		{"vermagic", m.Vermagic},
	} {
		if f[1] != "" || f[0] == "depends" {
			b.WriteString(f[0] + "=" + f[1] + "\x00")
		}
	}
	return b.Bytes()
}

// underscored is a module's name as the kernel says it.
func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

func (m Module) depends() string {
	switch m.Name {
	case "nvidia-drm":
		return "nvidia-modeset"
	case "nvidia-uvm", "nvidia-modeset", "nvidia-peermem":
		return "nvidia"
	}
	return ""
}

// Bytes is the module file: an ELF object of two sections, with the trailer of a
// signed module where there is a signer.
func (m Module) Bytes() []byte {
	names := "\x00.modinfo\x00.shstrtab\x00"
	info := m.modinfo()
	const header, entry = 64, 64
	sections := (header + len(info) + len(names) + 7) / 8 * 8
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	b.WriteString("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9))
	put(uint16(elf.ET_REL), uint16(elf.EM_X86_64), uint32(1), uint64(0), uint64(0), uint64(sections), uint32(0),
		uint16(header), uint16(0), uint16(0), uint16(entry), uint16(3), uint16(2))
	b.Write(info)
	b.WriteString(names)
	b.Write(make([]byte, sections-b.Len()))
	section := func(name uint32, kind elf.SectionType, flags elf.SectionFlag, offset, size int) {
		put(name, uint32(kind), uint64(flags), uint64(0), uint64(offset), uint64(size), uint32(0), uint32(0), uint64(1), uint64(0))
	}
	section(0, elf.SHT_NULL, 0, 0, 0)
	section(1, elf.SHT_PROGBITS, elf.SHF_ALLOC, header, len(info))
	section(10, elf.SHT_STRTAB, 0, header+len(info), len(names))
	if m.Signer != "" {
		b.WriteString(m.Signer + "\x01\x02\x03\x04" + "signature")
		put([]byte{1, 4, 1, byte(len(m.Signer)), 4, 0, 0, 0}, [4]byte{0, 0, 0, 9})
		b.WriteString(trailer)
	}
	return b.Bytes()
}

const trailer = "~Module signature appended~\n"

// Read reads a module file.
func Read(path string) (Module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Module{}, err
	}
	f, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return Module{}, fmt.Errorf("%s: %w", path, err)
	}
	section := f.Section(".modinfo")
	if section == nil {
		return Module{}, fmt.Errorf("%s has no .modinfo section", path)
	}
	data, err := section.Data()
	if err != nil {
		return Module{}, fmt.Errorf("%s: %w", path, err)
	}
	var m Module
	into := map[string]*string{
		"name": &m.Name, "version": &m.Version, "license": &m.License,
		"srcversion": &m.Srcversion, "vermagic": &m.Vermagic,
	}
	for _, field := range strings.Split(string(data), "\x00") {
		key, value, _ := strings.Cut(field, "=")
		if at := into[key]; at != nil {
			*at = value
		}
	}
	m.Signer = signer(text)
	return m, nil
}

// signer reads the trailer that Bytes writes.
func signer(text []byte) string {
	rest, ok := bytes.CutSuffix(text, []byte(trailer))
	if !ok || len(rest) < 12 {
		return ""
	}
	length, key, size := int(rest[len(rest)-9]), int(rest[len(rest)-8]), int(binary.BigEndian.Uint32(rest[len(rest)-4:]))
	end := len(rest) - 12 - size - key
	if end-length < 0 {
		return ""
	}
	return string(rest[end-length : end])
}

// Names of the modules of NVIDIA's driver, each after those that it needs.
func Names() []string {
	return []string{"nvidia", "nvidia-modeset", "nvidia-drm", "nvidia-uvm", "nvidia-peermem"}
}
