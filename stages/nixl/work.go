package nixl

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// program is what the environment's Python runs. It imports nothing of the environment
// but NIXL, and torch for GPU memory.
//
//go:embed program/*.py
var program embed.FS

// Work writes the file for units and moves bytes, each where something about it differs.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := read(in)
	var work stage.Work
	proof := false
	for _, c := range changes {
		proof = proof || c.Path != filePath && c.Path != modePath
	}
	if stage.Changed(changes, filePath) {
		work.Steps = append(work.Steps, hostfile.Write("write "+w.envFile, hostfile.Wish{Path: w.envFile, Data: w.envText(), Mode: fileMode, Owner: "0", Group: "0"}))
		work.Writes = append(work.Writes, stage.Resource("path:"+w.envFile))
	}
	if !proof {
		return work, nil
	}
	seen := w.see(f)
	runs, findings := w.runs(seen)
	work.Steps = append(work.Steps, w.proofStep(seen, runs))
	work.Writes = append(work.Writes, stage.Resource("path:"+w.resultPath()))
	work.Locks = []string{"nixl"}
	if w.moves(vram, seen) {
		work.Locks = append(work.Locks, "gpu")
	}
	work.TimeoutSeconds = int((w.timeout + time.Minute) / time.Second)
	if w.there != nil {
		work.Partner = w.listener(in.Host.Name, runs)
	}
	return work, findings
}

// run is one pair of processes, as the program reads it.
type run struct {
	Name   string `json:"name"` // "dram"
	Title  string `json:"title"`
	Memory string `json:"memory"`
	From   string `json:"from"` // UUID of the GPU that the first process has, "" for none
	To     string `json:"to"`
	Peer   bool   `json:"peer"`
}

// runs lists the pairs of processes that are needed.
func (w wish) runs(s sight) (list []run, findings []stage.Finding) {
	if w.moves(dram, s) {
		list = append(list, run{Name: dram, Title: "DRAM", Memory: dram})
		if w.there != nil {
			list = append(list, run{Name: peerPrefix + dram, Title: "DRAM to " + w.there.address, Memory: dram, Peer: true})
		}
	}
	pairs, doubt := w.gpus(s)
	if doubt != nil {
		return list, []stage.Finding{{Path: "memory", Summary: "The GPUs' UUIDs are not known", Detail: "GPU memory is to be moved between the first GPU and the last, and their UUIDs are not known: " + doubt.Reason + ". Repair the driver, or name them in gpu_pairs."}}
	}
	for _, p := range pairs {
		list = append(list, run{Name: vram, Title: "VRAM", Memory: vram, From: p[0], To: p[1]})
	}
	if w.there != nil && len(pairs) > 0 {
		list = append(list, run{Name: peerPrefix + vram, Title: "VRAM to " + w.there.address, Memory: vram, From: pairs[0][0], Peer: true})
	}
	return list, nil
}

// request is what the program reads.
type request struct {
	Inputs    []string           `json:"inputs"`
	Venv      string             `json:"venv"`
	Env       map[string]string  `json:"env"`
	Runs      []run              `json:"runs"`
	Bytes     int64              `json:"bytes"`
	Repeats   int                `json:"repeats"`
	Gates     map[string]float64 `json:"gates"`
	SystemUCX bool               `json:"system_ucx"`
	Stall     float64            `json:"stall"`    // seconds
	Deadline  float64            `json:"deadline"` // seconds
	Peer      *place             `json:"peer"`     // nil within one host
	For       string             `json:"for"`      // of a listener: whom it serves
}

// place is where a listener is found.
type place struct {
	Stage   string `json:"stage"`
	Address string `json:"address"`
	Port    int    `json:"port"`
}

func (w wish) proofStep(s sight, runs []run) stage.Step {
	r := w.request(runs)
	r.Inputs, _ = w.inputs(s)
	if w.there != nil {
		r.Peer = w.there.place()
	}
	return w.programStep(fmt.Sprintf("move %s by NIXL", size(w.bytes)), "prove", w.resultPath(), r, w.timeout)
}

func (w wish) request(runs []run) request {
	r := request{
		Venv: w.venv, Env: w.env, Runs: runs, Bytes: w.bytes, Repeats: w.repeats, Gates: w.gates,
		SystemUCX: w.systemUCX, Stall: w.stall.Seconds(), Deadline: w.timeout.Seconds(),
	}
	if r.Env == nil {
		r.Env = map[string]string{}
	}
	return r
}

func (w wish) place() *place { return &place{Stage: w.addr, Address: w.address, Port: w.port} }

// listener is what the peer's host does: it serves the runs that go there, with its own
// environment and variables, and what this stage says of sizes and times.
func (w wish) listener(host string, runs []run) *stage.Partner {
	there := *w.there
	there.bytes, there.repeats, there.stall, there.timeout = w.bytes, w.repeats, w.stall, w.timeout
	r := there.request(slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return !r.Peer }))
	r.Peer, r.For = there.place(), w.addr+" of "+host
	return &stage.Partner{
		Stage: w.peer, TimeoutSeconds: int((w.timeout + time.Minute) / time.Second),
		Steps: []stage.Step{there.programStep("listen for "+w.addr, "listen", there.servedPath(w.addr, host), r, w.timeout)},
	}
}

// programStep runs the program by the environment's Python. timeout ends it where its own
// deadlines did not; -B keeps it from writing beside its files.
func (w wish) programStep(title, mode, result string, r any, timeout time.Duration) stage.Step {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		panic("nixl: a request of plain values cannot fail to encode: " + err.Error())
	}
	seconds := fmt.Sprint(int((timeout + 20*time.Second) / time.Second))
	script := "python=" + posixsh.Quote(w.venv+"/bin/python") + "\n" + `if [ ! -x "$python" ]; then
  echo "pdprov: there is no $python" >&2
  exit 1
fi
exec timeout -k 5 ` + seconds + ` "$python" -B "$PDPROV_FILES/prove.py" ` + mode + ` "$PDPROV_FILES/request.json" ` + posixsh.Quote(result) + "\n"
	return stage.Step{Title: title, Script: script, Files: append(programFiles(), stage.File{Name: "request.json", Data: append(data, '\n')})}
}

func programFiles() (files []stage.File) {
	entries, err := program.ReadDir("program")
	if err != nil {
		panic("nixl: the program is built in: " + err.Error())
	}
	for _, e := range entries {
		data, err := program.ReadFile(path.Join("program", e.Name()))
		if err != nil {
			panic("nixl: the program is built in: " + err.Error())
		}
		files = append(files, stage.File{Name: e.Name(), Data: data})
	}
	return files
}

func size(bytes int64) string {
	if bytes%(1<<30) == 0 {
		return fmt.Sprintf("%d GiB", bytes>>30)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
