#!/usr/bin/env bash
# Gate 5: AddressSanitizer, leaks included, over the core tests. Canary: a ring that forgets to wrap must be reported.
source "$(dirname "$0")/gate.bash"

suites=("${sanitized_computing[@]}" Mesh Lines Voice Lane)
# Whole stations in virtual time, which every octet of a datagram goes through: of a change those with members, lines,
# keys, calls and attackers.
stations='^IntercomTests\.(Station(Attack|Calls|Contact|Guest|Input|Key|Levels|LinePort|Lines|Member|PrivateLine|Protection|Repair|Roaming|Streams)|MemberLines|MemberNames|Knock)Tests'
# What counts time or allocations would judge the sanitizer; what RNNoiseTests and DeepFilterTests load is loaded for
# good; MembershipTests leave tasks waiting, whose memory counts as leaked. The long file over the lane takes three
# minutes, and with a gate's few octets one voice in a thousand is one; LaneTests and LaneHostileTests walk the same
# code.
skipped_computing=(--skip '^IntercomTests\.(Intercom|StationAllocation|Membership)Tests' --skip 'a flood of forgeries takes time and nothing else'
  --skip 'LaneTransferTests' --skip '^VoiceTests\.(RNNoise|DeepFilter|AEC3)Tests')
station_tests=IntercomTests/Members
if [ -n "${COMLINK_ALL:-}" ]; then
  suites+=(Media)
  stations='^IntercomTests\.'
  station_tests=IntercomTests
fi
computing_tests="$(alternatives "${suites[@]}")|$stations"
COMLINK_CORE_ONLY=$(printf '%sTests ' "${suites[@]}" "${sanitized_clocked[@]}" EventLoop)$station_tests
run_core_tests --scratch-path .build-asan --sanitize=address
grep -q 'Suite "JACK session" passed' "$scratch/clocked.log" || fail "the session on a real jackd was not run"

compile_stress address "$realtime/rt_ring.c" "$scratch/sound"
run "$scratch/sound.log" "$scratch/sound"
sed 's/const uint32_t to_end = .*/const uint32_t to_end = UINT32_MAX;/' "$realtime/rt_ring.c" >"$scratch/spoilt.c"
compile_stress address "$scratch/spoilt.c" "$scratch/spoilt"
must_fail "$scratch/canary.log" "ERROR: AddressSanitizer: heap-buffer-overflow" "$scratch/spoilt"

pass "$count tests without a bad access or a leak; the ring that forgets to wrap is reported"
