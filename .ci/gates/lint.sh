#!/usr/bin/env bash
# Gate: swift-format in strict mode with the documentation rules, no leftovers in what is committed, and documents and
# comments that fit a screen.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Columns are characters, not octets.
export LC_ALL=C.UTF-8

readme_lines=150
columns=120
stored_properties=20
failures=0

complain() {
  printf 'lint: %s\n' "$*" >&2
  failures=$((failures + 1))
}

# files ROOT NAME...: the files of these names (find's patterns) that are not built.
files() {
  local root=$1 tests=() name
  shift
  for name in "$@"; do tests+=(-o -name "$name"); done
  find "$root" \( -name '.build*' -o -name .git \) -prune -o -type f \( "${tests[@]:1}" \) -print0
}

# complain_of WHAT: complains of each line of the input, FILE:NUMBER:TEXT.
complain_of() {
  local found
  while IFS= read -r found; do complain "$1: ${found:0:100}"; done
}

# wide: the lines of the files on the input that are wider than a screen.
wide() {
  xargs -0r grep -HnE "^.{$((columns + 1))}" || true
}

# only_comments MARK: of such lines those that are comments, whose first characters match MARK.
only_comments() {
  grep -E "^[^:]+:[0-9]+:[[:space:]]*($1)" || true
}

# Trailing white space and tabs in C, shell and Swift; what git would complain about.
check_blanks() {
  complain_of "blanks at the end of a line" < <(files "$1" '*.c' '*.h' '*.sh' '*.swift' dev run |
    xargs -0r grep -HnIE '[[:blank:]]+$')
}

check_readme() {
  local lines
  lines=$(wc -l <"$1/README.md")
  [ "$lines" -le $readme_lines ] || complain "README.md has $lines lines, at most $readme_lines: move text to docs/"
}

check_widths() {
  complain_of "wider than $columns columns" < <(files "$1" '*.md' | wide)
  complain_of "a comment wider than $columns columns" < <(files "$1" '*.swift' | wide | only_comments '//')
  complain_of "a comment wider than $columns columns" < <(files "$1" '*.c' '*.h' | wide | only_comments '//|/?[*]')
  complain_of "a comment wider than $columns columns" < <(files "$1" '*.sh' '*.bash' '*.awk' dev run |
    wide | only_comments '#')
}

# Where a document points to in this tree, it finds something.
check_links() {
  local file target
  while IFS= read -rd '' file; do
    while IFS= read -r target; do
      [ -e "$(dirname "$file")/$target" ] || complain "$file: points to $target, which does not exist"
    done < <(sed '/^ *```/,/^ *```/d' "$file" | grep -oE '\]\([^)#:]+[)#]' | sed -E 's/^\]\((.*).$/\1/')
  done < <(files "$1" '*.md')
}

# A type with much state hides others.
check_properties() {
  local type place count module
  while read -r type place count; do
    module=${place#"$1"/Sources/}
    type=${module%%/*}.$type
    complain "$place: $type has $count stored properties, at most $stored_properties: split it by what it owns"
  done < <(files "$1/Sources" '*.swift' |
    xargs -0r awk -v most=$stored_properties -f .ci/gates/stored-properties.awk)
}

check_tree() {
  check_properties "$1"
  check_readme "$1"
  check_blanks "$1"
  check_widths "$1"
  check_links "$1"
}

# Each planted violation must be found, one by one.
check_canaries() {
  local path count before=$failures wide many
  many=$(printf '  private let (x%d, y) = (0, 0)\n' $(seq $((stored_properties / 2 + 1))))
  wide=$(printf 'x%.0s' $(seq $columns))
  local -A plants=(
    [a.c]='int a; '
    [b.c]=$'int a;\t'
    [README.md]=$(seq $((readme_lines + 1)))
    [docs/a.md]="x$wide"
    [docs/b.md]='[there](../nowhere.md)'
    [docs/c.md]='[there](nowhere.md#part)'
    [Sources/a.swift]="  /// $wide"
    [Sources/a.h]="/** $wide */"
    [Sources/c.c]=" * $wide"
    [Sources/Part/Class.swift]="final class Large {
$many
}"
    [Sources/Part/Struct.swift]="struct PrivateStatus {
$many
}"
    [.ci/run]="# $wide"
    [.ci/a.bash]="  # $wide"
  )
  for path in "${!plants[@]}"; do
    rm -rf "$canary/house"
    mkdir -p "$canary/house"/{docs,Sources,.ci,.build}
    # What fits, and what is wide and no comment, or built.
    printf '%s\n' "${wide//x/ä}" '[here](docs#part)' '```' '](nowhere.md)' '```' >"$canary/house/README.md"
    printf '%s\n' "int $wide;" >"$canary/house/Sources/b.c"
    printf '%s\n' "x$wide" >"$canary/house/.build/a.md"
    # A table for others, and what is computed.
    printf '%s\n' 'struct LargeStatus {' "${many//private /}" '}' 'class Small {' \
      "$(sed 's/private let.*/var x: Int { 0 }/' <<<"$many")" '  var y: Int {' '    0' '  }' '}' \
      >"$canary/house/Sources/Fine.swift"
    count=$failures
    check_tree "$canary/house" 2>/dev/null
    if [ "$failures" -ne "$count" ]; then
      echo "lint: a house in order does not pass" >&2
      check_tree "$canary/house"
      exit 1
    fi
    mkdir -p "$canary/house/$(dirname "$path")"
    printf '%s\n' "${plants[$path]}" >"$canary/house/$path"
    check_tree "$canary/house" 2>/dev/null
    if [ "$failures" -eq "$count" ]; then
      echo "lint: the canary $path passed" >&2
      exit 1
    fi
  done
  failures=$before
}

canary=$(mktemp -d)
trap 'rm -rf "$canary"' EXIT

swift format lint --strict --parallel --recursive Sources Tests Package.swift
printf 'public func undocumented() {}\n' >"$canary/Canary.swift"
if swift format lint --strict --configuration .swift-format "$canary/Canary.swift" 2>/dev/null; then
  echo "lint: the canary passed: an undocumented public declaration is not seen" >&2
  exit 1
fi

for script in dev .ci/run .ci/gates/*.sh; do bash -n "$script"; done
check_canaries
check_tree .
[ "$failures" -eq 0 ] || {
  echo "lint: $failures violations" >&2
  exit 1
}
echo "lint: clean"
