#!/usr/bin/env bash
# Gate: swift-format in strict mode with the documentation rules, and no leftovers in what is committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

swift format lint --strict --parallel --recursive Sources Tests Package.swift

# Trailing white space and tabs in C, shell and Swift; what git would complain about.
# blanks_in FOLDER [OPTION...]: the lines that end in them; fails if there are none.
blanks_in() {
  git -C "$1" grep "${@:2}" -nIE '[[:blank:]]+$' -- '*.c' '*.h' '*.sh' '*.swift' dev .ci/run
}
if blanks_in .; then
  echo "lint: trailing white space" >&2
  exit 1
fi
for script in dev .ci/run .ci/gates/*.sh; do bash -n "$script"; done

canary=$(mktemp -d)
trap 'rm -rf "$canary"' EXIT
printf 'public func undocumented() {}\n' >"$canary/Canary.swift"
if swift format lint --strict --configuration .swift-format "$canary/Canary.swift" 2>/dev/null; then
  echo "lint: the canary passed: an undocumented public declaration is not seen" >&2
  exit 1
fi
for line in 'int a; ' $'int a;\t'; do
  rm -rf "$canary/blanks"
  mkdir "$canary/blanks"
  printf '%s\n' "$line" >"$canary/blanks/a.c"
  if ! blanks_in "$canary/blanks" --no-index >/dev/null; then
    echo "lint: the canary passed: white space at a line's end is not seen" >&2
    exit 1
  fi
done
echo "lint: clean"
