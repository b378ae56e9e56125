#!/usr/bin/env bash
# build.sh FILE [FLAG...]: builds comlink.so, the plugin for jackd, with the compiler that $CC names, else cc.
set -euo pipefail
out=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
realtime=$here/../CRealtime
# Not in jackd: what a client of its own needs, and what only comlinkd calls. jackd keeps its own messages.
leave_out='rt_(jack_messages|loop|bus_loop|counters|server)\.c$'
mapfile -t sources < <(printf '%s\n' "$realtime"/*.c | grep -vE "$leave_out")

# With O2 GCC leaves loops as they are: a period takes half as long again. Never unmapped (nodelete): see
# rt_plugin_unload.
"${CC:-cc}" -std=c11 -O3 -g -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror \
  -ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro -Wl,--version-script="$here/exports.map" \
  -I"$realtime/include" -I"$realtime" "$here/plugin.c" "${sources[@]}" -lm -pthread "$@" -o "$out"
