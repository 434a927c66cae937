package gpubox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

// Folder is the name, in a lab's folder, of what its web server serves.
const Folder = "repository"

// Files in a lab's folder beside Folder.
const (
	SourceFile = "repository.json"
	keyFile    = "repository.key"
)

// Source is NVIDIA's repository as the lab's hosts reach it.
type Source struct {
	URL         string // of "deb URL /"
	KeyURL      string // armoured public key
	Fingerprint string // 40 hex digits
	Archive     string // of what stands for the distribution's own archive
}

// repository is one flat repository below Folder.
type repository struct {
	path string
	deb.Repository
}

const (
	cudaPath    = "compute/cuda/repos/debian12/x86_64"
	ubuntuPath  = "compute/cuda/repos/ubuntu2404/x86_64"
	archivePath = "archive"
)

// CUDAPath is where, below the lab's web server, NVIDIA's repository for the system of a
// profile is.
func CUDAPath(profile string) string {
	if profile == H200 {
		return ubuntuPath
	}
	return cudaPath
}

func repositories(base, kernel string, key *deb.Key) ([]repository, error) {
	keyring, err := keyrings(base, key)
	if err != nil {
		return nil, err
	}
	nvidia := deb.Repository{Origin: "NVIDIA", Label: "NVIDIA CUDA", Packages: driverPackages()}
	debian, ubuntu := nvidia, nvidia
	debian.Packages = slices.Concat(debian.Packages, cudaPackages("-1"), keyring[:1])
	ubuntu.Packages = slices.Concat(ubuntu.Packages, cudaPackages("-0ubuntu1"), keyring[1:], ubuntuPackages())
	archive := deb.Repository{Origin: "pdlab archive", Label: "pdlab archive", Packages: kernelPackages(kernel)}
	archive.Packages = slices.Concat(archive.Packages, archivePackages(kernel), []deb.Package{distributionCUDA()})
	return []repository{{cudaPath, debian}, {ubuntuPath, ubuntu}, {archivePath, archive}}, nil
}

// WriteRepositories makes the repositories in the lab's folder, signed with a new key.
// base is the address of the lab's web server; the Source is for hosts of the profile.
func WriteRepositories(dir, base, profile, kernel string) (Source, error) {
	key, err := deb.NewKey(time.Now().Add(-24 * time.Hour))
	if err != nil {
		return Source{}, err
	}
	all, err := repositories(base, kernel, key)
	if err != nil {
		return Source{}, err
	}
	return writeAll(dir, base, CUDAPath(profile), all, key)
}

// writeAll writes repositories, their key, and where hosts find NVIDIA's, by its path.
func writeAll(dir, base, path string, all []repository, key *deb.Key) (Source, error) {
	armoured, err := key.Armoured()
	if err != nil {
		return Source{}, err
	}
	for _, r := range all {
		folder := filepath.Join(dir, Folder, r.path)
		if err := r.Write(folder, key, time.Now()); err != nil {
			return Source{}, err
		}
		if err := os.WriteFile(filepath.Join(folder, keyName(key)), []byte(armoured), 0o644); err != nil {
			return Source{}, err
		}
	}
	s := Source{
		URL: base + "/" + path, KeyURL: base + "/" + path + "/" + keyName(key),
		Fingerprint: key.Fingerprint(), Archive: base + "/" + archivePath,
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return s, err
	}
	if err := os.WriteFile(filepath.Join(dir, SourceFile), append(text, '\n'), 0o600); err != nil {
		return s, err
	}
	return s, os.WriteFile(filepath.Join(dir, keyFile), key.PEM(), 0o600)
}

// keyName is made as NVIDIA's is: of the last eight digits of the fingerprint.
func keyName(key *deb.Key) string {
	f := key.Fingerprint()
	return strings.ToLower(f[len(f)-8:]) + ".pub"
}

// DateRepositories signs the Release files of a lab anew, as of another date.
func DateRepositories(dir, kernel string, at time.Time) error {
	text, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return fmt.Errorf("this lab has no repository: %w", err)
	}
	key, err := deb.ParseKey(text)
	if err != nil {
		return err
	}
	all, err := repositories("", kernel, key)
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := r.Sign(filepath.Join(dir, Folder, r.path), key, at); err != nil {
			return err
		}
	}
	return nil
}

// ReadSource reads what WriteRepositories wrote.
func ReadSource(dir string) (Source, error) {
	var s Source
	text, err := os.ReadFile(filepath.Join(dir, SourceFile))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

// keyrings are NVIDIA's cuda-keyring packages for Debian 12 and Ubuntu 24.04.
func keyrings(base string, key *deb.Key) ([2]deb.Package, error) {
	var both [2]deb.Package
	public, err := key.Public()
	if err != nil {
		return both, err
	}
	const ring = "/usr/share/keyrings/cuda-archive-keyring.gpg"
	for i, os := range []string{"debian12", "ubuntu2404"} {
		list := fmt.Sprintf("/etc/apt/sources.list.d/cuda-%s-x86_64.list", os)
		both[i] = deb.Package{
			Name: "cuda-keyring", Version: "1.1-1", Architecture: "all",
			Files: []deb.File{
				{Path: ring, Text: string(public)},
				{Path: list, Text: fmt.Sprintf("deb [signed-by=%s] %s/compute/cuda/repos/%s/x86_64/ /\n", ring, base, os)},
			},
			Conffiles: []string{list},
		}
		if os == "ubuntu2404" {
			pin := "/etc/apt/preferences.d/cuda-repository-pin-600"
			both[i].Files = append(both[i].Files, deb.File{Path: pin, Text: "Package: *\nPin: release l=NVIDIA CUDA\nPin-Priority: 600\n"})
			both[i].Conffiles = append(both[i].Conffiles, pin)
		}
	}
	return both, nil
}
