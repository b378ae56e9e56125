#!/usr/bin/env bash
# Gate 4: ThreadSanitizer over the core tests, the two-thread stress of ring and engine among them. Not over suites that
# open a JACK client (their names begin with "Jack"): libjack cancels its threads asynchronously, inside the sanitizer's
# own code, which it reports as an error of its own. Canary: a ring without its acquire and release must be reported.
source "$(dirname "$0")/gate.bash"
export COMLINK_CORE_ONLY="RealtimeTests AudioTests JackSessionTests EventLoopTests MediaTests StoreTests"

# The Swift toolchain's sanitizer does not look into memcpy and its like unless told to; a ring's frames move by memcpy.
export TSAN_OPTIONS="ignore_interceptors_accesses=0 suppressions=$repo/.ci/gates/thread-sanitizer.supp"
skipped_tests=(--skip '\.Jack')
# Hours of virtual time, and values, on one thread have nothing to race with: of what computes only what runs the whole
# media pipeline. Gate 5 judges the others.
computing_tests='^MediaTests\.(Scenario|PeerStream|Talker|PlayoutController|RepairSession|PacketBuffer)Tests|^StoreTests\.'
run_core_tests --scratch-path .build-tsan --sanitize=thread
for log in computing clocked; do
  ! grep -A 20 "WARNING: ThreadSanitizer" "$scratch/$log.log" >&2 || fail "a race in the $log suites"
done
grep -q 'Suite "Ring, two threads" passed' "$scratch/clocked.log" || fail "the ring stress was not run"

compile_stress thread "$realtime/rt_ring.c" "$scratch/sound"
run "$scratch/sound.log" "$scratch/sound"
sed 's/memory_order_\(acquire\|release\)/memory_order_relaxed/' "$realtime/rt_ring.c" >"$scratch/racy.c"
compile_stress thread "$scratch/racy.c" "$scratch/racy"
must_fail "$scratch/canary.log" "WARNING: ThreadSanitizer: data race" "$scratch/racy"

pass "$count tests without a race; the ring without its memory orders is reported"
