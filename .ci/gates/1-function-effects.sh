#!/usr/bin/env bash
# Gate 1: the compiler refuses whatever the process callback reaches that may allocate, lock or block, and alloca,
# variable-length arrays, frames above 1 KiB and function casts in the real-time target. The flags are in Package.swift;
# here it is shown that they stand, that the code passes, and (canaries) that each violation does not.
source "$(dirname "$0")/gate.bash"

run "$scratch/build.log" swift build --scratch-path .build-gates --target CRealtime

# The ends of the thread that hold all else: were they not marked, nothing below them would be judged.
for prototype in rt_process.h:rt_on_process include/CRealtime.h:rt_engine_process; do
  tr '\n' ' ' <"$realtime/${prototype%%:*}" | grep -Eq "${prototype##*:}\([^;]*\) RT_NONBLOCKING;" ||
    fail "${prototype##*:} is not RT_NONBLOCKING"
done

cp -r Package.swift Sources CSupport Tests "$scratch"
build_copy() {
  swift build --package-path "$scratch" --scratch-path "$scratch/.build" --target CRealtime
}
run "$scratch/copy.log" build_copy

cp .ci/gates/canaries/function-effects.c "$scratch/$realtime/"
must_fail "$scratch/canary.log" "-Wfunction-effects
-Walloca
-Wvla
-Wcast-function-type-strict" build_copy
rm "$scratch/$realtime/function-effects.c"

cp .ci/gates/canaries/large-frame.c "$scratch/$realtime/"
must_fail "$scratch/canary.log" "-Wframe-larger-than" build_copy
rm "$scratch/$realtime/large-frame.c"

sed -i 's|^int rt_on_process(.*{$|extern void free(void *);\n&\n  free(argument);|' "$scratch/$realtime/rt_process.c"
must_fail "$scratch/canary.log" "rt_process.c:.*'free'.*-Wfunction-effects" build_copy

pass "CRealtime compiles under the five warnings as errors; six planted violations do not"
