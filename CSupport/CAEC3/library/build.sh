#!/usr/bin/env bash
# build.sh FILE [FLAG...]: builds comlink-aec3.so, with the compiler that $CXX names, else c++, where pkg-config finds
# webrtc-audio-processing 1 (Debian: libwebrtc-audio-processing-dev, from 13 on).
set -euo pipefail
out=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
package=webrtc-audio-processing-1
# The library's headers are not ours to judge.
read -ra flags <<<"$(pkg-config --cflags "$package" | sed 's/-I/-isystem /g')"
read -ra libraries <<<"$(pkg-config --libs-only-L --libs-only-l "$package")"
"${CXX:-c++}" -std=c++17 -O2 -g -fPIC -shared -Wall -Wextra -Werror \
  -Wl,-z,now -Wl,-z,relro -Wl,--as-needed -Wl,--version-script="$here/exports.map" "${flags[@]}" \
  "$here/comlink_aec3.cpp" "${libraries[@]}" "$@" -o "$out"
