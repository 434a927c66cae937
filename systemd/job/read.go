package job

import (
	"cmp"
	"strconv"
	"strings"
)

// seen is what a look at jobs found.
type seen struct {
	boot   string                       // of the host, now
	active map[string]bool              // invocations of units that have not ended
	dirs   []string                     // in the order of the answer
	jobs   map[string]map[string]string // values by folder
	whole  bool                         // the answer has its end
}

// read reads what the script look printed.
func read(body []byte) seen {
	s := seen{active: map[string]bool{}, jobs: map[string]map[string]string{}}
	dir, state, invocation, sizes := "", "", "", false
	unit := func() {
		if invocation != "" && state != "" && state != "inactive" && state != "failed" {
			s.active[invocation] = true
		}
		state, invocation = "", ""
	}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, "=")
		switch {
		case line == "whole":
			s.whole = true
		case line == "sizes":
			sizes = true
		case sizes:
			s.size(line)
		case key == "job":
			dir = value
			s.job(dir)
		case key == "current":
			s.boot, dir = value, ""
		case key == "ActiveState":
			state = value
		case key == "InvocationID":
			invocation = value
		case line == "":
			unit()
			continue
		case dir != "":
			s.jobs[dir][key] = value
		}
		if dir != "" || sizes {
			unit()
		}
	}
	return s
}

// job makes room for a folder. A result alone is one that was removed or made meanwhile.
func (s *seen) job(dir string) {
	if s.jobs[dir] == nil {
		s.jobs[dir] = map[string]string{}
		if s.boot == "" {
			s.dirs = append(s.dirs, dir)
		}
	}
}

func (s *seen) size(line string) {
	number, path, _ := strings.Cut(strings.TrimSpace(line), " ")
	if values, ok := s.jobs[strings.TrimSuffix(path, "/log")]; ok {
		values["size"] = number
	}
}

// status reads the values of one job. Where a crash left the mark of the start empty,
// the names of the folders say which job it was.
func (s *seen) status(dir string) Status {
	f := s.jobs[dir]
	dir = strings.TrimPrefix(strings.TrimPrefix(dir, "./"), Root+"/")
	run, slug, _ := strings.Cut(dir, "/")
	st := Status{Owner: unhex(f["owner"]), Since: f["since"]}
	st.Ref = Ref{Run: run, Stage: cmp.Or(unhex(f["stage"]), slug), Unit: "pdprov-" + slug + ".service", Dir: Root + "/" + dir}
	st.Result = Result{
		Service: f["result-service"], Code: f["result-code"], Status: f["result-status"], System: f["result-system"],
		Written:  f["result-ended"] != "",
		SameBoot: f["boot"] != "" && f["boot"] == s.boot,
	}
	st.Result.UnitActive = !st.Result.Written && s.active[f["invocation"]]
	st.State = st.Result.state()
	st.Size, _ = strconv.ParseInt(f["size"], 10, 64)
	return st
}
