#!/usr/bin/env bash
# Gate 2: what the real-time object files take from outside, against realtime-symbols.txt. The compiler's view (gate 1)
# ends at a wrong declaration; the linker's does not.
source "$(dirname "$0")/gate.bash"

list=.ci/gates/realtime-symbols.txt
everywhere=$(sed -n 's/^\*: *//p' "$list")
read -ra setup_files <<<"$(sed -n 's/^setup: *//p' "$list")"
mapfile -t files < <(sed -n 's/^\(rt_[a-z_]*\.c\):.*/\1/p' "$list")

# allowed FILE SYMBOL
allowed() {
  local pattern
  for pattern in $(sed -n "s/^${1//./\\.}: *//p" "$list") $everywhere; do
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ $2 == $pattern ]] && return 0
  done
  return 1
}

# judge DIRECTORY: the object files in it, named FILE.o
judge() {
  local file symbol
  for file in "${files[@]}"; do
    while read -r symbol; do
      allowed "$file" "$symbol" || { echo "$file takes $symbol"; return 1; }
      [[ $symbol != rt_* ]] || grep -Fqx "$symbol" "$scratch/defined" ||
        { echo "$file takes $symbol, which no real-time file defines"; return 1; }
    done < <(llvm-nm -u "$1/$file.o" | sed 's/^ *U //')
  done
}

for path in "$realtime"/*.c; do
  file=$(basename "$path")
  [[ " ${files[*]} ${setup_files[*]} " == *" $file "* ]] || fail "$file is in $list neither as real-time nor as set-up"
done

run "$scratch/build.log" swift build -c release --scratch-path .build-gates --target CRealtime
objects=$(swift build -c release --scratch-path .build-gates --show-bin-path)/CRealtime.build
for file in "${files[@]}"; do
  [[ -f $objects/$file.o ]] || fail "$file is in $list, but there is no $file.o"
  llvm-nm --defined-only "$objects/$file.o" | awk '{print $3}'
done >"$scratch/defined"
run "$scratch/judge.log" judge "$objects"

# Canaries: a symbol that is not listed, and one of ours that lives in a set-up file.
for planted in 'malloc(1)' 'rt_engine_create(0)'; do
  mkdir "$scratch/objects"
  cp "$objects"/*.o "$scratch/objects"
  { cat "$realtime/rt_limiter.c"
    echo "void *${planted%%(*}(); void *rt_canary(void); void *rt_canary(void) { return $planted; }"
  } >"$scratch/rt_limiter.c"
  "$clang" -O2 -w -I"$realtime" -I"$realtime/include" -c "$scratch/rt_limiter.c" -o "$scratch/objects/rt_limiter.c.o"
  must_fail "$scratch/canary.log" "rt_limiter.c takes ${planted%%(*}" judge "$scratch/objects"
  rm -r "$scratch/objects"
done

pass "${#files[@]} real-time object files take only what is listed; two planted symbols are found"
