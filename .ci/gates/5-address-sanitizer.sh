#!/usr/bin/env bash
# Gate 5: AddressSanitizer, leaks included, over the core tests. Canary: a ring that forgets to wrap must be reported.
source "$(dirname "$0")/gate.bash"

skipped_tests=()
# Whole stations in virtual time too, which every octet of a datagram goes through.
computing_tests='^(System|RTP|Media|Mesh|Cryptography|Store|Barcode|Intercom|Lines|Messages|Journal|Voice|Keys|KeyDevices|Captions)Tests\.'
# What counts time or allocations would judge the sanitizer; what RNNoiseTests load is loaded for good;
# MembershipTests leave tasks waiting, whose memory counts as leaked. The long file over the lane takes three minutes,
# and with a gate's few octets one voice in a thousand is one; LaneTests and LaneHostileTests walk the same code.
skipped_computing=(--skip '^IntercomTests\.(Intercom|StationAllocation|Membership)Tests' --skip 'a flood of forgeries takes time and nothing else'
  --skip 'LaneTransferTests' --skip '^VoiceTests\.RNNoiseTests')
# Hours of virtual time lead through the code that minutes of it lead through: of a change only the latter.
[ -n "${COMLINK_ALL:-}" ] || for long in 'an hour passes without' 'jitter only slows it' 'far apart the delay' \
  'a stall or a step costs' 'an hour of drift' 'no more packets are late than' 'over a capped way' 'on a clean link one event' \
  'over the narrowest way' 'the tone is whole and in' 'once a narrow way' 'a hole at the sender costs'; do
  skipped_computing+=(--skip "$long")
done
run_core_tests --scratch-path .build-asan --sanitize=address
grep -q 'Suite "JACK session" passed' "$scratch/clocked.log" || fail "the session on a real jackd was not run"

compile_stress address "$realtime/rt_ring.c" "$scratch/sound"
run "$scratch/sound.log" "$scratch/sound"
sed 's/const uint32_t to_end = .*/const uint32_t to_end = UINT32_MAX;/' "$realtime/rt_ring.c" >"$scratch/spoilt.c"
compile_stress address "$scratch/spoilt.c" "$scratch/spoilt"
must_fail "$scratch/canary.log" "ERROR: AddressSanitizer: heap-buffer-overflow" "$scratch/spoilt"

pass "$count tests without a bad access or a leak; the ring that forgets to wrap is reported"
