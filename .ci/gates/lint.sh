#!/usr/bin/env bash
# Gate: swift-format in strict mode with the documentation rules, and no leftovers in what is committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

swift format lint --strict --parallel --recursive Sources Tests Package.swift

# Trailing white space and tabs in C, shell and Swift; what git would complain about.
if git grep -nIE '[[:blank:]]+$' -- '*.c' '*.h' '*.sh' '*.swift' dev .ci/run; then
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
echo "lint: clean"
