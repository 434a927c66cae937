package ssh

import (
	"fmt"
	"slices"
	"strings"
)

// values are the settings of one host as the files give them: for each keyword the
// first one, and all of those that may be given several times.
type values struct {
	found map[string][]configLine
	alias string
	user  string // of the target, "" when the files decide
	local string // the person's own user name
	log   func(string)
}

// many are the keywords of which every line counts.
func many(keyword string) bool { return keyword == "identityfile" || keyword == "certificatefile" }

// unused says whether a keyword would change how a host is reached or trusted and is
// not followed by pdprov, so that it must say so.
func unused(keyword string) bool {
	return slices.Contains([]string{
		"addressfamily", "bindaddress", "bindinterface", "canonicalizehostname",
		"knownhostscommand", "pkcs11provider", "proxyusefdpass", "revokedhostkeys", "securitykeyprovider",
	}, keyword)
}

// collect goes through lines in order; active says whether the block they stand in
// is meant for this host.
func (v *values) collect(lines []configLine, active bool) error {
	outer := active
	for _, line := range lines {
		switch line.keyword {
		case "host":
			active = outer && matchList(line.words, v.alias)
		case "match":
			fits, err := v.match(line)
			if err != nil {
				return at(line.place, err)
			}
			active = outer && fits
		case "include":
			for _, file := range line.include {
				if err := v.collect(file, active); err != nil {
					return err
				}
			}
		default:
			if active {
				v.add(line)
			}
		}
	}
	return nil
}

func (v *values) add(line configLine) {
	if unused(line.keyword) {
		v.log(fmt.Sprintf("%s: %s is not followed by pdprov", line.place, line.keyword))
	}
	if len(v.found[line.keyword]) == 0 || many(line.keyword) {
		v.found[line.keyword] = append(v.found[line.keyword], line)
	}
}

// match decides a Match line. What it cannot decide does not fit, and is told.
func (v *values) match(line configLine) (bool, error) {
	words := line.words
	for len(words) > 0 {
		criterion, negated := strings.CutPrefix(strings.ToLower(words[0]), "!")
		words = words[1:]
		if criterion == "all" {
			continue
		}
		if criterion == "final" || criterion == "canonical" {
			return false, nil // ssh reads these in a second pass only
		}
		if len(words) == 0 {
			return false, fmt.Errorf("the criterion %s of Match has no value", criterion)
		}
		name, known := v.subject(criterion)
		if !known {
			v.log(fmt.Sprintf("%s: pdprov does not know Match %s: the settings below it are not used", line.place, criterion))
			return false, nil
		}
		if matchList(strings.Split(words[0], ","), name) == negated {
			return false, nil
		}
		words = words[1:]
	}
	return true, nil
}

// subject is what a criterion of Match looks at.
func (v *values) subject(criterion string) (string, bool) {
	switch criterion {
	case "host":
		if name := v.first("hostname"); name != "" {
			return strings.ReplaceAll(name, "%h", v.alias), true
		}
		return v.alias, true
	case "originalhost":
		return v.alias, true
	case "user":
		return firstOf(v.user, v.first("user"), v.local), true
	case "localuser":
		return v.local, true
	}
	return "", false
}

func (v *values) first(keyword string) string {
	if line, ok := v.line(keyword); ok {
		return line.words[0]
	}
	return ""
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
