// Package nvrepo is NVIDIA's package repository as a part of a stage: where it is, the
// key that signs it, pinned by its fingerprint, and other sources that would clash.
package nvrepo

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// Files of the repository on a host with apt. A keyring whose name ends in .asc may be
// armoured.
const (
	ListFile = "/etc/apt/sources.list.d/pdprov-nvidia.list"
	KeyFile  = "/usr/share/keyrings/pdprov-nvidia.asc"
)

// Paths of the surface.
const (
	SourcePath = "repository"
	KeyPath    = "repository.key"
	OthersPath = "repository.others"
)

// NVIDIA's own repository, and the keys that sign it since 2022: one for apt, one for rpm.
const (
	officialURL            = "https://developer.download.nvidia.com/compute/cuda/repos/"
	officialFingerprint    = "EB693B3035CD5710E231E123A4B469963BF863CC"
	officialRPMFingerprint = "610C7B14E068A878070DA4E99CD0A493D42D0685"
)

// Attrs are the attributes that a kind with this repository takes.
func Attrs() []stage.Attr {
	return []stage.Attr{
		{Name: "repository", Type: stage.String, Doc: "URL of the package repository, such as a mirror of NVIDIA's; unset: NVIDIA's own for the host's system."},
		{Name: "key_fingerprint", Type: stage.String, Doc: "Fingerprint (40 hex digits) of the one key that may sign the repository; required with repository."},
		{Name: "key", Type: stage.LocalFile, Doc: "File with that key; unset: the host fetches REPOSITORY/XXXXXXXX.pub, named by the fingerprint's last 8 digits, as NVIDIA has it."},
		{Name: "replace_sources", Type: stage.Bool, Doc: "true: source files of apt or dnf that name the same repository and nothing else are renamed to NAME.disabled; unset: they are an error, since apt refuses two sources that name different keys."},
	}
}

var fingerprintForm = regexp.MustCompile(`^[0-9A-F]{40}$`)

// Fingerprint is a fingerprint without blanks and in capitals.
func Fingerprint(text string) string {
	return strings.ToUpper(strings.Join(strings.Fields(text), ""))
}

// Validate looks at the attributes alone.
func Validate(in stage.Instance) (findings []stage.Finding) {
	c := in.Config
	address, fingerprint := c.Text("repository"), Fingerprint(c.Text("key_fingerprint"))
	if c.Has("repository") {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "file" || strings.ContainsAny(address, " \t\n[]#") {
			findings = append(findings, stage.Finding{
				Path: "repository", Summary: "Not the URL of a repository",
				Detail: fmt.Sprintf("%q is no URL that apt can use here: it begins with https://, http:// or file:/ and has no blanks or brackets.", address),
			})
		}
		if u != nil && u.User != nil {
			findings = append(findings, stage.Finding{
				Path: "repository", Summary: "Secret in a URL",
				Detail: "The URL holds a user or a password, which everybody on the host could read in apt's sources. Put them into a file below /etc/apt/auth.conf.d.",
			})
		}
		if fingerprint == "" {
			findings = append(findings, stage.Finding{
				Path: "repository", Summary: "Repository without its key",
				Detail: "Packages run as root, so who signs them has to be named: set key_fingerprint to the fingerprint of the key that signs this repository.",
			})
		}
	}
	if fingerprint != "" && !fingerprintForm.MatchString(fingerprint) {
		findings = append(findings, stage.Finding{
			Path: "key_fingerprint", Summary: "Not a fingerprint",
			Detail: "A key's fingerprint has 40 hexadecimal digits, blanks aside. A short key id can be forged and is not accepted.",
		})
	}
	return append(findings, validateKey(c, fingerprint)...)
}

func validateKey(c stage.Config, fingerprint string) []stage.Finding {
	file, ok := c.File("key")
	if !ok {
		return nil
	}
	keys, err := Keys(file.Data)
	if err == nil && len(keys) == 1 && (keys[0] == fingerprint || fingerprint == "" && official(keys[0])) {
		return nil
	}
	if fingerprint == "" {
		fingerprint = officialFingerprint
	}
	why := fmt.Sprintf("it holds %s", strings.Join(keys, ", "))
	if err != nil {
		why = err.Error()
	}
	return []stage.Finding{{
		Path: "key", Summary: "Not the key that key_fingerprint names",
		Detail: fmt.Sprintf("%s must hold exactly the key %s: %s.", file.Path, fingerprint, why),
	}}
}

func official(fingerprint string) bool {
	return fingerprint == officialFingerprint || fingerprint == officialRPMFingerprint
}

// Repository is a repository that a stage wants.
type Repository struct {
	URL         string // without a slash at its end
	Fingerprint string
	Key         []byte // nil: the host fetches it
	rpm         bool   // for dnf, not for apt
	system      osrelease.System
}

// Of is the repository that a block asks for on a system; false when the block names
// none and NVIDIA has none for the system.
func Of(c stage.Config, sys osrelease.System) (Repository, bool) {
	r := Repository{URL: c.Text("repository"), Fingerprint: Fingerprint(c.Text("key_fingerprint")), rpm: dnf.On(sys), system: sys}
	if file, ok := c.File("key"); ok {
		r.Key = file.Data
	}
	if r.Fingerprint == "" {
		r.Fingerprint = officialFingerprint
		if r.rpm {
			r.Fingerprint = officialRPMFingerprint
		}
	}
	if r.URL == "" {
		name := folder(sys)
		if name == "" {
			return r, false
		}
		r.URL = officialURL + name + "/x86_64"
	}
	r.URL = strings.TrimRight(r.URL, "/")
	return r, true
}

// folder is NVIDIA's name for a system: "debian12", "ubuntu2404", "rhel9", "fedora42",
// "amzn2023"; "" for one that is merely like Debian, Ubuntu or Fedora, whose packages may
// differ. What is built from RHEL is RHEL.
func folder(sys osrelease.System) string {
	if len(sys.IDs) == 0 || sys.Version == "" {
		return ""
	}
	switch sys.IDs[0] {
	case "debian", "ubuntu":
		return sys.IDs[0] + strings.ReplaceAll(sys.Version, ".", "")
	case "fedora", "amzn":
		if dnf.On(sys) {
			return sys.IDs[0] + sys.Version
		}
	case "rhel", "rocky", "almalinux", "ol", "centos":
		if dnf.On(sys) {
			major, _, _ := strings.Cut(sys.Version, ".")
			return "rhel" + major
		}
	}
	return ""
}

// line is the source as apt, or dnf, reads it. apt itself accepts nothing that another
// key than the one of the fingerprint signed, whatever else the keyring may hold; dnf
// takes what lies in the key's file, so that its content is proved before it is used.
func (r Repository) line() string {
	if r.rpm {
		return r.section()
	}
	return fmt.Sprintf("# written by pdprov\ndeb [signed-by=%s,%s] %s/ /\n", KeyFile, r.Fingerprint, r.URL)
}

// file is where the source lies.
func (r Repository) file() string {
	if r.rpm {
		return RepoFile
	}
	return ListFile
}

// keyFile is where the key lies.
func (r Repository) keyFile() string {
	if r.rpm {
		return RPMKeyFile
	}
	return KeyFile
}

// keyURL is where the repository keeps its key: NVIDIA writes its name in small letters
// for apt, in capitals for dnf.
func (r Repository) keyURL() string {
	name := r.Fingerprint[len(r.Fingerprint)-8:]
	if !r.rpm {
		name = strings.ToLower(name)
	}
	return r.URL + "/" + name + ".pub"
}
