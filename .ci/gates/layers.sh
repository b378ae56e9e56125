#!/usr/bin/env bash
# Gate: each target imports only what its layer may, and files and functions keep their size.
#
# The compiler does not refuse a transitive import, so import lines are compared with the table below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# What a target's Swift files may import. Foundation only where the table says so. Dispatch: EventLoop looks host names
# up on a thread of Dispatch's, as getaddrinfo blocks; NodeDaemon takes signals by it.
declare -A may=(
  [RTP]=""
  [Media]="RTP"
  [Voice]="CSpeexDSP CRNNoise CDeepFilter CSoundTouch CAEC3 Glibc"
  [Measurement]="Glibc"
  [Mesh]="Cryptography"
  [Lines]="Cryptography RTP Glibc"
  [System]="Glibc Synchronization"
  [Audio]="CRealtime COpus CSamplerate CMySofa System Glibc Synchronization"
  [Habits]="Cryptography StatusSchema"
  [JackSession]="Habits CRealtime Audio System Glibc Synchronization"
  [EventLoop]="CUring System Glibc Synchronization Dispatch"
  [Cryptography]="CSodium COpenSSL"
  [Store]="Habits Cryptography Mesh System Glibc Synchronization"
  [ServiceLoop]="NIOCore Synchronization"
  [ControlSocket]="Remote ServiceLoop StatusSchema System NIOCore NIOPosix Glibc Synchronization"
  [ControlPlane]="ServiceLoop Mesh Cryptography NIOCore NIOPosix NIOTLS NIOSSL System Glibc Synchronization"
  [Barcode]="CQREncode"
  [Keys]=""
  [Speech]="FoundationEssentials"
  [SpeechLink]="Speech ServiceLoop NIOCore NIOPosix System Glibc Synchronization"
  [KeyDevices]="Keys CEvdev CGPIO System Glibc"
  [comlink-keys]="KeyDevices Keys Remote ArgumentParser TOMLKit FoundationEssentials System Glibc"
  [Messages]="Cryptography"
  [Captions]="Cryptography"
  [Assistant]="FoundationEssentials"
  [WebService]="Cryptography ServiceLoop NIOCore NIOPosix NIOHTTP1 NIOSSL System Glibc"
  [Chat]="Assistant ServiceLoop WebService NIOCore NIOPosix NIOHTTP1"
  [Journal]="CSQLite Assistant Messages Cryptography System Glibc"
  [Recording]="Audio CDecode COgg System Glibc Synchronization"
  [Discovery]="CAvahi Mesh Cryptography System Glibc Synchronization"
  [StatusSchema]=""
  [Intercom]="RTP Media Voice Measurement Mesh Lines Habits Cryptography Audio JackSession EventLoop StatusSchema System Glibc Synchronization"
  [Remote]="StatusSchema Foundation FoundationEssentials System Glibc Synchronization"
  [Panel]="ControlSocket Cryptography Remote ServiceLoop StatusSchema NIOCore NIOPosix NIOHTTP1 NIOWebSocket NIOSSL System Glibc Synchronization"
  [Doctor]="CKernel Audio JackSession EventLoop StatusSchema System Glibc"
  [NodeDaemon]="CKernel RTP Media Voice Audio JackSession EventLoop Intercom Mesh Lines Keys Habits Cryptography ControlPlane Discovery Doctor Panel Store Journal Messages Captions Assistant Chat Speech SpeechLink WebService Recording Remote ControlSocket StatusSchema ArgumentParser Logging TOMLKit Foundation FoundationEssentials System Glibc Synchronization Dispatch"
  [comlink-decode]=""
  [comlinkd]="NodeDaemon"
  [comlink]="Remote StatusSchema Captions Cryptography Lines Voice Barcode Doctor KeyDevices Store ArgumentParser Foundation FoundationEssentials System Glibc Synchronization"
)
maximum_file=500
maximum_header=200
maximum_function=60
failures=0

complain() {
  printf 'layers: %s\n' "$*" >&2
  failures=$((failures + 1))
}

# imports FOLDER: a line each, of its Swift files: the file, then a module that it names, also with access levels,
# attributes and kinds of import.
imports() {
  find "$1" -name '*.swift' -exec sed -nE '/import/{
    s/^[[:space:]]*(@[A-Za-z_]+(\([^)]*\))?[[:space:]]+)*((public|package|internal|fileprivate|private)[[:space:]]+)?import[[:space:]]+((struct|class|enum|protocol|func|var|let|typealias)[[:space:]]+)?([A-Za-z_][A-Za-z0-9_]*).*/\7/
    T
    F
    p
  }' {} +
}

check_swift_target() {
  local folder=$1 target=$2 file module
  if [ -z "${may[$target]+known}" ]; then
    complain "$folder: no row in the table of .ci/gates/layers.sh for target $target"
    return
  fi
  while IFS= read -r file && IFS= read -r module; do
    case " ${may[$target]} " in
    *" $module "*) ;;
    *) complain "$file: $target may not import $module (may: ${may[$target]:-nothing})" ;;
    esac
  done < <(imports "$folder")
}

# What a C target may include of another: the plugin for jackd is entry points to CRealtime, which it is built with.
declare -A may_include=([JackPlugin]="rt_plugin.h")

# A C target includes its own headers and the system's, never another target's or Swift's.
check_c_target() {
  local folder=$1 others=" $2 " file header
  others=${others/ $(basename "$folder") / }
  others=$(xargs <<<"$others")
  while IFS= read -r file; do
    if grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"](.*/)?(${others// /|})(/|\.h|-Swift)" "$file"; then
      complain "$file: includes another target"
    fi
    if grep -nE '^[[:space:]]*#[[:space:]]*include.*-Swift\.h' "$file"; then
      complain "$file: includes Swift"
    fi
    while IFS= read -r header; do
      [ -n "$(find "$folder" -path "*/$header" -print -quit)" ] && continue
      case " ${may_include[$(basename "$folder")]:-} " in
      *" $header "*) ;;
      *) complain "$file: includes $header, which is not the target's own" ;;
      esac
    done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]*)".*/\1/p' "$file")
  done < <(find "$folder" -name '*.[ch]')
}

check_sizes() {
  local file lines limit
  while read -r lines file; do
    limit=$maximum_file
    case "$file" in */include/*.h) limit=$maximum_header ;; esac
    [ "$file" = total ] || [ "$lines" -le "$limit" ] || complain "$file: $lines lines, at most $limit"
  done < <(find "$@" \( -name '*.swift' -o -name '*.c' -o -name '*.h' \) -exec wc -l {} +)
}

check_functions() {
  local found
  while IFS= read -r found; do
    complain "$found"
  done < <(find "$@" \( -name '*.swift' -o -name '*.c' \) -exec awk -v most=$maximum_function -f .ci/gates/function-lengths.awk {} +)
}

# check_house ROOT: all rules over a tree laid out like this one.
check_house() {
  local root=$1 folder targets
  for folder in "$root"/Sources/*/; do
    [ -d "$folder" ] && check_swift_target "${folder%/}" "$(basename "$folder")"
  done
  targets=$(find "$root/CSupport" -mindepth 1 -maxdepth 1 -type d ! -name System -printf '%f ' 2>/dev/null)
  targets+=$(find "$root/Sources" -mindepth 1 -maxdepth 1 -type d -printf '%f ')
  for folder in "$root"/CSupport/*/; do
    case "$folder" in */System/) continue ;; esac
    [ -d "$folder" ] && check_c_target "${folder%/}" "$targets"
  done
  check_sizes "$root/Sources" "$root/CSupport" "$root/Tests"
  check_functions "$root/Sources" "$root/CSupport" "$root/Tests"
}

# long_function LINE...: those lines, the first half of them before 59 others, so that a function of theirs is too long.
long_function() {
  local half=$(($# / 2))
  printf '%s\n' "${@:1:half}"
  seq 59 | sed 's/.*/    \/\/ line/'
  printf '%s\n' "${@:half+1}"
}

# Each planted violation must be found, one by one.
check_canaries() {
  local count before=$failures
  local -A plants=(
    [Sources/RTP/A.swift]='import Glibc'
    [Sources/Media/A.swift]='@testable internal import struct Audio.Codec'
    [Sources/Intercom/A.swift]='public import Foundation'
    [Sources/Attic/A.swift]='// a target without a row'
    [CSupport/CUring/a.c]='#include "CRealtime.h"'
    [CSupport/JackPlugin/a.c]='#include "rt_state.h"'
    [CSupport/COpus/a.c]='#include <Audio-Swift.h>'
    [CSupport/COpus/include/COpus.h]=$(seq 201 | sed 's/.*/\/\/ line/')
    [Sources/Media/Long.swift]=$(seq 501 | sed 's/.*/\/\/ line/')
    [Sources/Media/Function.swift]=$(long_function 'struct S {' '  private static func f(' '    _ x: Int' '  ) {' '  }' '}')
    [Sources/Media/Property.swift]=$(long_function 'struct S {' '  var x: Int {' '    get {' '    }' '  }' '}')
    [CSupport/CUring/long.c]=$(long_function 'static int f(void) {' '}')
  )
  local path
  for path in "${!plants[@]}"; do
    rm -rf "$canary/house"
    mkdir -p "$canary/house"/{Sources/RTP,CSupport/{CUring,COpus,CRealtime},Tests}
    count=$failures
    check_house "$canary/house" >/dev/null 2>&1
    if [ "$failures" -ne "$count" ]; then
      echo "layers: an empty house does not pass" >&2
      exit 1
    fi
    mkdir -p "$canary/house/$(dirname "$path")"
    printf '%s\n' "${plants[$path]}" >"$canary/house/$path"
    check_house "$canary/house" >/dev/null 2>&1
    if [ "$failures" -eq "$count" ]; then
      echo "layers: the canary $path passed" >&2
      exit 1
    fi
  done
  failures=$before
}

canary=$(mktemp -d)
trap 'rm -rf "$canary"' EXIT
check_canaries
check_house .
[ "$failures" -eq 0 ] || {
  echo "layers: $failures violations" >&2
  exit 1
}
echo "layers: clean"
