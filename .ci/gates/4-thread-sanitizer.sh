#!/usr/bin/env bash
# Gate 4: ThreadSanitizer over the suites with threads, the two-thread stress of ring and engine among them; by night
# over the media pipeline and the store too, which have one thread. Not over suites that open a JACK client (their
# names begin with "Jack"): libjack cancels its threads asynchronously, inside the sanitizer's own code, which it
# reports as an error of its own. Canary: a ring without its acquire and release must be reported.
source "$(dirname "$0")/gate.bash"
export COMLINK_CORE_ONLY="RealtimeTests AudioTests JackSessionTests EventLoopTests"

# The Swift toolchain's sanitizer does not look into memcpy and its like unless told to; a ring's frames move by memcpy.
export TSAN_OPTIONS="ignore_interceptors_accesses=0 suppressions=$repo/.ci/gates/thread-sanitizer.supp"
skipped_tests=(--skip '\.Jack')
if [ -n "${COMLINK_ALL:-}" ]; then
  COMLINK_CORE_ONLY+=" MediaTests StoreTests"
  computing_tests='^MediaTests\.(Scenario|PeerStream|Talker|PlayoutController|RepairSession|PacketBuffer)Tests|^StoreTests\.'
fi
run_core_tests --scratch-path .build-tsan --sanitize=thread
for log in "$scratch"/computing.log "$scratch/clocked.log"; do
  [ -e "$log" ] || continue
  ! grep -A 20 "WARNING: ThreadSanitizer" "$log" >&2 || fail "a race in $(basename "$log" .log) suites"
done
grep -q 'Suite "Ring, two threads" passed' "$scratch/clocked.log" || fail "the ring stress was not run"

compile_stress thread "$realtime/rt_ring.c" "$scratch/sound"
run "$scratch/sound.log" "$scratch/sound"
sed 's/memory_order_\(acquire\|release\)/memory_order_relaxed/' "$realtime/rt_ring.c" >"$scratch/racy.c"
compile_stress thread "$scratch/racy.c" "$scratch/racy"
must_fail "$scratch/canary.log" "WARNING: ThreadSanitizer: data race" "$scratch/racy"

pass "$count tests without a race; the ring without its memory orders is reported"
