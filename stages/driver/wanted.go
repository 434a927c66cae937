package driver

import "github.com/pdprov/pdprov/stages/stage"

// wantedVersion: which version of a branch is wanted is for the host to say where it has one.
func (w wish) wantedVersion(h host) stage.Value {
	v := stage.Is(w.target(h))
	v.FromHost = w.version == "" && v.Text != w.pattern()
	return v
}

// wantedAnswers: every GPU on the bus answers; without any, nothing is asked of
// nvidia-smi.
func wantedAnswers(h host) stage.Value {
	switch {
	case h.box.Count.State != stage.Present:
		return stage.SomeValue()
	case h.box.Count.Text == "0" && h.answering.State != stage.Unknown:
		return fromHost(h.answering)
	}
	return fromHost(h.box.Count)
}

// fromHost makes a wish of what the host shows.
func fromHost(v stage.Value) stage.Value {
	v.FromHost = true
	return v
}

// wantedFabricManager is the driver's version where there are NVSwitches; elsewhere
// what is there is left alone.
func (w wish) wantedFabricManager(h host, target stage.Value) stage.Value {
	if h.switches() {
		return fromHost(target)
	}
	if v := h.set.fabricManager(); v.State != stage.Unknown {
		return fromHost(v)
	}
	return stage.SomeValue()
}
