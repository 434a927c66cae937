package driver

import "strings"

// readDKMS reads "RC\n" and what `dkms status -m nvidia` printed, of DKMS 2
// ("nvidia, 580.95.05, 6.8.0-79-generic, x86_64: installed") and 3
// ("nvidia/580.95.05, 6.8.0-79-generic, x86_64: installed (...)"): by kernel, version and
// state. A module that is only added has no kernel. What is not understood is left out:
// nothing is decided by it.
func readDKMS(text string) map[string]string {
	_, out, _ := strings.Cut(text, "\n")
	states := map[string]string{}
	for line := range strings.Lines(out) {
		what, state, ok := strings.Cut(strings.TrimSpace(line), ": ")
		f := strings.Split(strings.Replace(what, "nvidia/", "nvidia, ", 1), ", ")
		if ok && len(f) == 4 && f[0] == "nvidia" && versionForm.MatchString(f[1]) && !strings.Contains(f[2], " ") {
			states[f[2]] = strings.TrimPrefix(states[f[2]]+", "+f[1]+" "+state, ", ")
		}
	}
	return states
}
