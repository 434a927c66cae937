package driver

import "strings"

// nvidiaSets are the names of NVIDIA's repository for apt: Debian's and, from branch 590 on,
// Ubuntu's without a branch, older Ubuntu ones with it.
func (w wish) nvidiaSets() []string {
	b := w.branch
	switch {
	case w.desktop && w.modules == open:
		return []string{"nvidia-open", "nvidia-open-" + b, "nvidia-driver-" + b + "-open"}
	case w.desktop:
		return []string{"cuda-drivers", "cuda-drivers-" + b, "nvidia-driver-" + b}
	case w.modules == open:
		return []string{
			"nvidia-driver-cuda nvidia-kernel-open-dkms",
			"nvidia-utils-" + b + " libnvidia-compute-" + b + " nvidia-dkms-" + b + "-open",
			"nvidia-headless-" + b + "-open nvidia-utils-" + b,
			"nvidia-open-" + b,
		}
	}
	return []string{
		"nvidia-driver-cuda nvidia-kernel-dkms",
		"nvidia-utils-" + b + " libnvidia-compute-" + b + " nvidia-dkms-" + b,
		"nvidia-headless-" + b + " nvidia-utils-" + b,
		"cuda-drivers-" + b,
	}
}

// distributionSets are Ubuntu's, with modules that Canonical built and signed for the
// flavour of the running kernel ("generic", "aws") before those that DKMS builds, and
// Debian's.
func (w wish) distributionSets(running string) []string {
	flavour := running[strings.LastIndexByte(running, '-')+1:]
	kind := ""
	if w.modules == open {
		kind = "-open"
	}
	var sets []string
	for _, server := range []string{"-server", ""} {
		name := w.branch + server
		user := " nvidia-utils-" + name + " libnvidia-compute-" + name
		if w.desktop {
			sets = append(sets, prebuiltPrefix+name+kind+"-"+flavour+" nvidia-driver-"+name+kind, "nvidia-driver-"+name+kind)
			continue
		}
		sets = append(sets,
			prebuiltPrefix+name+kind+"-"+flavour+user,
			"nvidia-headless-"+name+kind+user,
			"nvidia-dkms-"+name+kind+user,
		)
	}
	if w.modules == open {
		return append(sets, "nvidia-open-kernel-dkms nvidia-smi libcuda1 nvidia-persistenced")
	}
	return append(sets, "nvidia-kernel-dkms nvidia-smi libcuda1 nvidia-persistenced")
}
