# What the host leaves of this machine, for what judges by the clock. Sourced by ./dev and .ci/run.

# Two numbers: ticks of all processors since boot, and those of them in which the host ran something else.
machine_ticks() {
  awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print all, $9 }' /proc/stat
}

# Per cent of the processors that the host took since machine_ticks said $1 (all) and $2 (stolen).
stolen_percent() {
  local all stolen
  read -r all stolen < <(machine_ticks)
  echo $(((stolen - $2) * 100 / (all > $1 ? all - $1 : 1)))
}

# Waits until the host has left the processors alone for 10 s, $1 seconds at most.
await_quiet() {
  local until=$((SECONDS + $1)) before percent
  while :; do
    before=$(machine_ticks)
    sleep 10
    # shellcheck disable=SC2086 # two words
    percent=$(stolen_percent $before)
    [ "$percent" -ge 3 ] && [ "$SECONDS" -lt "$until" ] || break
  done
  echo "==> the host took $percent % of the processors in the last 10 s"
}
