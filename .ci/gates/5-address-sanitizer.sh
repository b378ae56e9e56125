#!/usr/bin/env bash
# Gate 5: AddressSanitizer, leaks included, over the core tests. Canary: a ring that forgets to wrap must be reported.
source "$(dirname "$0")/gate.bash"

flags=(--scratch-path .build-asan --sanitize=address)
run "$scratch/build.log" swift build --build-tests "${flags[@]}"
run "$scratch/test.log" swift test --skip-build --disable-xctest "${flags[@]}" --filter "$core_tests" --skip Jack
# libjack serves one server per process at a time.
run "$scratch/jack.log" swift test --skip-build --disable-xctest "${flags[@]}" --filter Jack --no-parallel
count=$(($(tests_passed "$scratch/test.log") + $(tests_passed "$scratch/jack.log")))

compile_stress address "$realtime/rt_ring.c" "$scratch/sound"
run "$scratch/sound.log" "$scratch/sound"
sed 's/const uint32_t to_end = .*/const uint32_t to_end = UINT32_MAX;/' "$realtime/rt_ring.c" >"$scratch/spoilt.c"
compile_stress address "$scratch/spoilt.c" "$scratch/spoilt"
must_fail "$scratch/canary.log" "ERROR: AddressSanitizer: heap-buffer-overflow" "$scratch/spoilt"

pass "$count tests without a bad access or a leak; the ring that forgets to wrap is reported"
