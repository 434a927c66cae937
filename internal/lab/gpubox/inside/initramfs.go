package inside

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// updateInitramfs writes /boot/initrd.img-K: an archive of what modprobe is told, which
// is all that matters here of a real one.
func updateInitramfs(args []string) int {
	kernels := []string{newestKernel()}
	for i, a := range args {
		if a == "-k" && i+1 < len(args) {
			kernels = []string{args[i+1]}
		} else if k, ok := strings.CutPrefix(a, "-k"); ok && k != "" {
			kernels = []string{k}
		}
	}
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-u") || strings.HasPrefix(a, "-c") || a == "-d" }) {
		return fail("Usage: update-initramfs {-c|-d|-u} [-k version] [-v] [-b directory]\nYou must specify at least one of -c, -u, or -d.")
	}
	if kernels[0] == "all" {
		kernels = nil
		images, _ := filepath.Glob("/boot/vmlinuz-*")
		for _, i := range images {
			kernels = append(kernels, strings.TrimPrefix(i, "/boot/vmlinuz-"))
		}
	}
	for _, k := range kernels {
		fmt.Printf("update-initramfs: Generating /boot/initrd.img-%s\n", k)
		if err := write("/boot/initrd.img-"+k, string(initramfs("/"))); err != nil {
			return fail("%v", err)
		}
	}
	return 0
}

// configuration lists modprobe's files below a root.
func configuration(root string) []string {
	var files []string
	for _, dir := range []string{"etc/modprobe.d", "usr/lib/modprobe.d"} {
		found, _ := filepath.Glob(filepath.Join(root, dir, "*.conf"))
		files = append(files, found...)
	}
	return files
}

// initramfs is a cpio archive in the "newc" form.
func initramfs(root string) []byte {
	var b bytes.Buffer
	for i, path := range configuration(root) {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // gone since it was listed
		}
		name, _ := filepath.Rel(root, path)
		entry(&b, i+1, name, text)
	}
	entry(&b, 0, "TRAILER!!!", nil)
	return b.Bytes()
}

func entry(b *bytes.Buffer, inode int, name string, text []byte) {
	mode := 0o100644
	fmt.Fprintf(b, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		inode, mode, 0, 0, 1, 0, len(text), 0, 0, 0, 0, len(name)+1, 0, name)
	pad(b)
	b.Write(text)
	pad(b)
}

func pad(b *bytes.Buffer) {
	for b.Len()%4 != 0 {
		b.WriteByte(0)
	}
}

// lsInitramfs lists the names in an image.
func lsInitramfs(args []string) int {
	for _, path := range args {
		image, err := os.ReadFile(path)
		if err != nil {
			return fail("%v", err)
		}
		for name := range files(image) {
			fmt.Println(name)
		}
	}
	return 0
}

// files are the names and contents of an image that updateInitramfs wrote.
func files(image []byte) iter.Seq2[string, []byte] {
	const header = 110
	return func(yield func(string, []byte) bool) {
		for rest := image; len(rest) > header && bytes.HasPrefix(rest, []byte("070701")); {
			var size, length int
			fmt.Sscanf(string(rest[54:62]), "%X", &size)
			fmt.Sscanf(string(rest[94:102]), "%X", &length)
			start := (header + length + 3) / 4 * 4
			end := start + size
			if length == 0 || end > len(rest) {
				return
			}
			name := string(rest[header : header+length-1])
			if name == "TRAILER!!!" || !yield(name, rest[start:end]) {
				return
			}
			rest = rest[min((end+3)/4*4, len(rest)):]
		}
	}
}
