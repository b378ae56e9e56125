#!/usr/bin/env bash
# Gate 3: RealtimeSanitizer over RealtimeTests, which drive the callback directly and, in JackTests, by a jackd of their
# own. Canary: the same binary with a clock that allocates must be stopped in the callback.
source "$(dirname "$0")/gate.bash"
export COMLINK_CORE_ONLY=RealtimeTests

flags=(--scratch-path .build-rtsan
  -Xcc -fsanitize=realtime -Xswiftc -Xclang-linker -Xswiftc -fsanitize=realtime)
run "$scratch/build.log" swift build --build-tests "${flags[@]}"
run_clocked swift test --skip-build --disable-xctest "${flags[@]}" --filter '^RealtimeTests\.'
count=$(tests_passed "$scratch/clocked.log")
grep -q 'Suite "JACK session" passed' "$scratch/clocked.log" || fail "the session on a real jackd was not run"

"$clang" -shared -fPIC .ci/gates/canaries/allocating-clock.c -o "$scratch/allocating-clock.so"
must_fail "$scratch/canary.log" "RealtimeSanitizer: unsafe-library-call
in rt_engine_process" \
  env LD_PRELOAD="$scratch/allocating-clock.so" \
  "$(swift build "${flags[@]}" --show-bin-path)/comlinkPackageTests.xctest" \
  --testing-library swift-testing --filter '^RealtimeTests\.CaptureTests'

pass "$count tests, a real jackd among them; an allocation planted in the callback is caught"
