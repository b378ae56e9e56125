#!/usr/bin/env bash
# Gate 6: comlink.so as jackd gets it. It exports the entry points and nothing else, brings no library into jackd but
# C's, and takes from jackd only what libjackserver has. Its callback is CRealtime's, which gates 1 to 3 judge.
source "$(dirname "$0")/gate.bash"

entry_points="jack_finish
jack_get_descriptor
jack_initialize
jack_internal_initialize"
server=$(ldconfig -p | sed -n 's|.*libjackserver\.so\.0 .* => ||p' | head -n 1)
[[ -n $server ]] || fail "libjackserver is not installed: apt-get install jackd2"
llvm-nm -D --defined-only --format=just-symbols "$server" | sed 's/@.*//' | sort -u >"$scratch/server"

# judge FILE
judge() {
  local exports needed symbol
  exports=$(llvm-nm -D --defined-only --format=just-symbols "$1" | sort)
  [[ $exports == "$entry_points" ]] || { echo "exports" $exports; return 1; }
  needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  for symbol in $needed; do
    [[ $symbol == libc.so.* || $symbol == libm.so.* ]] || { echo "needs $symbol"; return 1; }
  done
  readelf -d "$1" | grep -q NODELETE || { echo "can be unmapped"; return 1; }
  for symbol in $(llvm-nm -D -u --format=just-symbols "$1"); do
    # Of C's: with its version. Weak ones of the compiler's start-up code begin with an underscore.
    [[ $symbol == *@GLIBC* || $symbol == _* ]] || grep -Fqx "$symbol" "$scratch/server" ||
      { echo "takes $symbol, which jackd does not have"; return 1; }
  done
}

# build FILE [COMMAND...]: from a copy of the sources that the command may spoil, run in it.
build() {
  local file=$1
  shift
  rm -rf "$scratch/sources"
  mkdir "$scratch/sources"
  cp -r CSupport/CRealtime CSupport/JackPlugin "$scratch/sources"
  (cd "$scratch/sources" && "${@:-true}")
  run "$scratch/build.log" "$scratch/sources/JackPlugin/build.sh" "$file"
}

for compiler in cc "$clang"; do
  export CC=$compiler
  build "$scratch/comlink.so"
  run "$scratch/judge.log" judge "$scratch/comlink.so"
done

build "$scratch/canary.so" sed -i 's/ -Wl,--version-script=[^ ]*//; s/ -fvisibility=hidden//' JackPlugin/build.sh
must_fail "$scratch/canary.log" "exports .*rt_plugin_load" judge "$scratch/canary.so"
build "$scratch/canary.so" sed -i 's/ -pthread / -pthread -Wl,--no-as-needed -ljack /' JackPlugin/build.sh
must_fail "$scratch/canary.log" "needs libjack" judge "$scratch/canary.so"
build "$scratch/canary.so" sed -i 's/rt_session_start(plugin->engine)/rt_take_jack_message(NULL, 0)/' CRealtime/rt_plugin.c
must_fail "$scratch/canary.log" "takes rt_take_jack_message" judge "$scratch/canary.so"

pass "four entry points, no library but C's, nothing that jackd does not have; three planted violations are found"
