# What observe looks with: each line of its report begins with ok, FAILED, figure, or note: what is not tested here.

# How many times longer than usual everything may take.
patience=$(sed -n 's/.*observe\.patience=\([0-9]*\).*/\1/p' /proc/cmdline)
log_from=0

# check WORDS COMMAND...: the command must succeed within 60 s.
check() {
  local words=$1 end=$((SECONDS + 60 * patience))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || {
      echo "FAILED $words"
      systemctl --no-pager --full status comlinkd jackd@Dummy comlink.target 2>&1 | sed 's/^/  /'
      return
    }
    sleep 0.1
  done
  echo "ok $words"
}

# keeps SECONDS WORDS COMMAND...: the command must succeed each second for so long.
keeps() {
  local end=$((SECONDS + $1)) words=$2
  shift 2
  while [ "$SECONDS" -lt "$end" ]; do
    "$@" >/dev/null 2>&1 || {
      echo "FAILED $words"
      return
    }
    sleep 1
  done
  echo "ok $words"
}

not() { ! "$@"; }
figure() { echo "figure $1: $2"; }
note() { echo "note $*"; }

property() { systemctl show --value --property "$2" "$1"; }
process() { property comlinkd MainPID; }
is() { [ "$(property "$1" "$2")" = "$3" ]; }
remote() { comlink "$@" --control /run/comlink/control.sock; }
status() { remote status --json | tr -d ' \n'; }
audio_runs() { status | grep -q '"audio":{[^}]*"state":"running"'; }
restarts() { property comlinkd NRestarts; }
restarted_since() { [ "$(restarts)" -gt "$1" ]; }
is_off() { not systemctl is-active comlink.target comlinkd jackd@Dummy; }
locks_memory() { status | grep -q '"memoryLocked":true'; }
says() { property comlinkd StatusText | grep -q "$1"; }

# The journal of comlinkd, of this boot or since begin.
begin() { log_from=$(date +%s); }
journal() { journalctl --no-pager --quiet -b -u comlinkd --since "@$log_from" "$@"; }
logged() { journal | grep -qE "$1"; }
has_warning() { journal -p warning | grep -q .; }
has_priorities() { journal -o json | grep '"PRIORITY":"5"' | grep -q 'JACK client'; }
tells_info_as_notice() { journal -p notice | grep -q 'starting config'; }
has_fields() { journalctl -b -o json _SYSTEMD_UNIT=comlinkd.service SYSLOG_IDENTIFIER=comlinkd | grep -q 'JACK client'; }
is_announced() { timeout 5 avahi-browse -rpt _comlink._udp | grep -q '^='; }

# Milliseconds from its start to READY=1, which is when sound runs.
start_milliseconds() { echo $((($(property comlinkd ActiveEnterTimestampMonotonic) - $(property comlinkd ExecMainStartTimestampMonotonic)) / 1000)); }
starts_within() { [ "$(start_milliseconds)" -le $(($1 * patience)) ]; }

in_status() { grep -qE "$2" "/proc/$1/status"; }
thread() { basename "$(grep -lx "$2" "/proc/$1"/task/*/comm | sed 's,/comm$,,')"; }
keeps_to_cores() { [ "$(taskset -cp "$(process)" | sed 's/.*: //; s/-/,/')" = "$1" ]; }
advises() { comlink doctor | grep -qE "^(advice|problem) +$1 "; }
is_real_time() { chrt -p "$1" | grep -q 'SCHED_FIFO'; }
priority() { chrt -p "$1" | sed -n 's/.*priority: //p'; }
has_thread_of_priority() {
  local thread
  for thread in "/proc/$1"/task/*; do [ "$(priority "${thread##*/}")" != "$2" ] || return 0; done
  return 1
}
locked_kilobytes() { sed -n 's/^VmLck:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }
has_ring() { find "/proc/$(process)/fd" -lname '*io_uring*' | grep -q .; }

as() { runuser -u "$1" -- comlink "${@:2}" --control /run/comlink/control.sock; }

# Keys, as comlink key list shows them: name, tally, held, latched.
key_line() { remote key list | grep "^$1 "; }
key_is() { key_line "$1" | grep -qw "$2"; }
key_talks() { key_line "$1" | grep -qE "^$1 +talk"; }
key_rests() {
  local line
  line=$(key_line "$1") && ! grep -qwE 'held|latched' <<<"$line" && ! grep -qE "^$1 +talk" <<<"$line"
}
keys_logged() { journalctl --no-pager --quiet -b -u comlink-keys | grep -qE "$1"; }

plug() { echo snd_dummy.0 >/sys/bus/platform/drivers/snd_dummy/bind; }
unplug() { echo snd_dummy.0 >/sys/bus/platform/drivers/snd_dummy/unbind; }
