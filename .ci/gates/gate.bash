# What the gates share; sourced. Sets repo (the package's root,
# where the gate then runs) and clang (the Swift toolchain's).

set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$repo"
source .ci/machine.bash
source .ci/gates/suites.bash
export COMLINK_CORE_ONLY=1
# The sanitizers are some fifty times slower: fewer random networks (TestKit's Seeds).
export COMLINK_FEW_SEEDS=1
# What computes little is not optimised, but for the night.
if [ -z "${COMLINK_ALL:-}" ]; then export COMLINK_QUICK=1; else quick_flags=(); fi
# The crash handler would take minutes over a sanitizer's abort.
export SWIFT_BACKTRACE=enable=no

gate=$(basename "$0" .sh)
clang=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": *"\(.*\)/lib/swift.*|\1/bin/clang|p')
realtime=CSupport/CRealtime
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The suites the sanitizers judge: those that only compute run side by side, those with threads, a clock or a JACK
# server (libjack serves one per process) one after the other. Beside sanitized computing they would starve.
# A gate names those that compute, if any, and may leave some out: skipped_tests of the clocked, skipped_computing of
# the others.
skipped_tests=() skipped_computing=()
computing_tests=
clocked_tests=$(alternatives "${sanitized_clocked[@]}" EventLoop)

fail() {
  echo "$gate: FAILED: $*" >&2
  exit 1
}

pass() {
  [ -z "${processor_times:-}" ] || echo "$gate: processors: $processor_times"
  echo "$gate: passed: $*"
}

# took WHAT: notes the seconds of processors that WHAT took, all since the last such note.
processor_times= processor_seconds=0
took() {
  local now user system
  times >"$scratch/times"
  { read -r _; read -r user system; } <"$scratch/times"
  now=$(($(whole_seconds "$user") + $(whole_seconds "$system")))
  processor_times+="${processor_times:+, }$1 $((now - processor_seconds)) s"
  processor_seconds=$now
}

# run LOG COMMAND...: runs quietly; on failure shows what was said, and fails the gate.
run() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    tail -n 100 "$log" >&2
    # Tests that failed are told at once, wherever they stand in it.
    grep -a '✘' "$log" | cut -c 1-400 >&2 || true
    fail "$*"
  }
}

# run_clocked COMMAND...: runs tests against the clock, once more if they fail: a shared machine can stall for seconds.
# What a sanitizer found is no such stall. Their log is clocked.log.
run_clocked() {
  "$@" >"$scratch/clocked.log" 2>&1 && return
  grep -a '✘' "$scratch/clocked.log" | cut -c 1-400 >&2 || true
  ! grep -Ea -A 30 -m 1 'WARNING: ThreadSanitizer|ERROR: (Address|Leak|Realtime)Sanitizer' "$scratch/clocked.log" >&2 ||
    fail "$*"
  [ -z "${COMLINK_RETRIES:-}" ] ||
    { grep -aoE '✘ Test .* (failed|recorded)' "$scratch/clocked.log" || echo "all"; } | sort -u | sed "s/^/gate $gate: /" >>"$COMLINK_RETRIES"
  await_quiet 180 >&2
  run "$scratch/clocked.log" "$@"
}

# run_core_tests FLAG...: builds and runs those suites; FLAG goes to swift build and swift test. Sets count.
# Optimised, or the hours of virtual time in MediaTests would take minutes.
run_core_tests() {
  local flags=(-c release --disable-xctest -Xswiftc -enable-testing -Xswiftc -gline-tables-only "${quick_flags[@]}" "$@")
  # Of the time beside the tests what computes takes what is left; builds take theirs, and are at their end when the
  # tests begin. SwiftPM gives what it starts the usual priority, whatever its own is; the policy stays.
  local idle=()
  [[ ${COMLINK_CI:-} != *-beside ]] || idle=(chrt --idle 0)
  run "$scratch/build.log" swift build --build-tests "${flags[@]}"
  took build
  [ -z "$computing_tests" ] || run "$scratch/computing.log" \
    ${idle[@]+"${idle[@]}"} swift test --skip-build "${flags[@]}" --filter "$computing_tests" "${skipped_computing[@]}"
  took computing
  run_clocked swift test --skip-build "${flags[@]}" --filter "$clocked_tests" --no-parallel "${skipped_tests[@]}"
  took clocked
  count=$(tests_passed "$scratch/clocked.log")
  [ -z "$computing_tests" ] || count=$((count + $(tests_passed "$scratch/computing.log")))
}

# must_fail LOG TEXT COMMAND...: a canary; the command must fail and say every line of TEXT (extended expressions).
must_fail() {
  local log=$1 text=$2 line
  shift 2
  if "$@" >"$log" 2>&1; then fail "canary alive: this should have failed: $*"; fi
  while read -r line; do
    grep -Eq -- "$line" "$log" || {
      tail -n 40 "$log" >&2
      fail "canary: failed, but without saying $line"
    }
  done <<<"$text"
}

# compile_stress SANITIZER RING_SOURCE PROGRAM: canaries/ring-stress.c with this copy of rt_ring.c. The toolchain's
# ThreadSanitizer wants its libdispatch.
compile_stress() {
  local libraries=${clang%/bin/clang}/lib/swift/linux
  run "$scratch/compile.log" "$clang" -O1 -g -fsanitize="$1" -I"$realtime" -I"$realtime/include" \
    .ci/gates/canaries/ring-stress.c "$2" "$realtime/rt_ring_setup.c" -o "$3" \
    -L"$libraries" -Wl,-rpath,"$libraries" -ldispatch -lBlocksRuntime
}

# How many tests a log of swift test counts; none judged is a failure.
tests_passed() {
  local count
  count=$(sed -n 's/.*Test run with \([0-9]*\) test.* passed.*/\1/p' "$1" | tail -n 1)
  [[ ${count:-0} -gt 0 ]] || fail "no test was run"
  echo "$count"
}
