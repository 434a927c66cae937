package unit

// All but reload find the unit's name in $unit.
const (
	reload = "systemctl daemon-reload\n"
	// A failed unit that no longer exists stays listed until it is reset.
	forget = "systemctl reset-failed -- \"$unit\" 2>/dev/null || :\n"
	enable = "systemctl enable -- \"$unit\"\n"
	unmask = "systemctl unmask -- \"$unit\"\nsystemctl unmask --runtime -- \"$unit\"\n"
)

const disable = `systemctl disable -- "$unit"
case $(systemctl is-enabled -- "$unit" 2>/dev/null) in
enabled-runtime) systemctl disable --runtime -- "$unit" ;;
esac
`

const stop = `systemctl stop -- "$unit"
` + forget

const stopAndDisable = `case $(systemctl show --property=LoadState --value -- "$unit") in
not-found) ;;
*) systemctl disable -- "$unit" ;;
esac
case $(systemctl show --property=ActiveState --value -- "$unit") in
inactive) ;;
*) systemctl stop -- "$unit" ;;
esac
`

// start finds start or restart in $verb. systemctl returns when the unit is up; a
// program that ends at once is seen a second later, also where systemd has already
// started it again: the invocation is then another one.
const start = `report() {
  echo "pdprov: $unit $1" >&2
  systemctl status --no-pager --full --lines=0 -- "$unit" >&2 || :
  journalctl --no-pager --quiet --lines=20 --unit="$unit" >&2 || :
  exit 1
}
systemctl reset-failed -- "$unit" 2>/dev/null || :
systemctl "$verb" -- "$unit" || report "did not start"
invocation=$(systemctl show --property=InvocationID --value -- "$unit")
sleep 1
active=$(systemctl is-active -- "$unit") || report "did not stay active: $active"
now=$(systemctl show --property=InvocationID --value -- "$unit")
[ "$invocation" = "$now" ] || report "was started again within a second"
`
