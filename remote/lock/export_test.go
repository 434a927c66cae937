package lock

// Scripts are the texts that a host is given, for the linter.
func Scripts() map[string]string {
	return map[string]string{"held": heldScript, "hold": holdScript, "break": breakScript}
}
