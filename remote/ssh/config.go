package ssh

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// place is where a setting was read; its zero value is "not from a file".
type place struct {
	file string
	line int
}

func (p place) String() string {
	if p.file == "" {
		return "the plan"
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

// configLine is one line of a configuration file: a keyword in small letters and
// its words, without quotes.
type configLine struct {
	keyword string
	words   []string
	raw     string // everything after the keyword, for ProxyCommand
	place   place
	include [][]configLine // the files of an Include, in their order
}

// settingError is a setting that cannot be used, and where it stands.
type settingError struct {
	place place
	text  string
}

func (e *settingError) Error() string { return e.place.String() + ": " + e.text }

// maxIncludes is the depth at which ssh gives up, too.
const maxIncludes = 16

// readConfig reads a file with all that it includes. base is the folder of names
// that Include gives relatively. The files are read here and not by
// kevinburke/ssh_config: that one has no file names in its errors, gives up a whole
// file for one Match it does not know, reads "Match host a user b" as three
// patterns, "?" as none or one character, and finds no pattern after a tab.
func readConfig(file, base string, depth int) ([]configLine, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lines []configLine
	number := 0
	for text := range strings.Lines(string(data)) {
		number++
		line, err := parseLine(text)
		line.place = place{file, number}
		if err == nil && line.keyword == "include" {
			line.include, err = readIncludes(line, base, depth+1)
		}
		if err != nil {
			return nil, at(line.place, err)
		}
		if line.keyword != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func at(p place, err error) error {
	if inner, ok := err.(*settingError); ok && inner.place.file != "" {
		return err
	}
	return &settingError{p, err.Error()}
}

func readIncludes(line configLine, base string, depth int) ([][]configLine, error) {
	if depth > maxIncludes {
		return nil, fmt.Errorf("files include each other deeper than %d", maxIncludes)
	}
	var files [][]configLine
	for _, pattern := range line.words {
		pattern = expandHome(pattern)
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(base, pattern)
		}
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			lines, err := readConfig(name, base, depth)
			if err != nil {
				return nil, err
			}
			files = append(files, lines)
		}
	}
	return files, nil
}

// parseLine splits "Keyword words", "Keyword = words" and quoted words.
func parseLine(text string) (configLine, error) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '#' {
		return configLine{}, nil
	}
	end := strings.IndexAny(text, " \t=")
	if end < 0 {
		return configLine{}, fmt.Errorf("%q has no value", text)
	}
	rest := strings.TrimLeft(text[end:], " \t")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "="), " \t")
	words, err := splitWords(rest)
	if err == nil && len(words) == 0 {
		err = fmt.Errorf("%q has no value", text[:end])
	}
	return configLine{keyword: strings.ToLower(text[:end]), words: words, raw: rest}, err
}

// splitWords reads words with quotes around them or in them, up to a comment.
func splitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`"'\`, text[i+1]) >= 0:
			i++
			word.WriteByte(text[i])
			inWord = true
		case quote == c && quote != 0:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		case quote == 0 && c == '#' && !inWord:
			return words, nil
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
