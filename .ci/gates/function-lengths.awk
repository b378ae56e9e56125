# Names Swift functions, initialisers and computed properties, and C functions, that are longer than `most` lines. As
# swift-format lays them out: one ends at the first line that begins with a brace as far in as its own first line.

FNR == 1 { delete began }

/^ *\}/ {
  match($0, /^ */)
  if (RLENGTH in began) {
    lines = FNR - began[RLENGTH] + 1
    if (lines > most) printf "%s:%d: a function of %d lines, at most %d\n", FILENAME, began[RLENGTH], lines, most
  }
  for (depth in began) if (depth + 0 >= RLENGTH) delete began[depth]
}

FILENAME ~ /\.swift$/ && !/\}$/ &&
/^ *((@[A-Za-z_]+(\([^)]*\))?|public|package|internal|fileprivate|private|private\(set\)|static|final|override|convenience|mutating|borrowing|consuming|nonisolated|class) +)*(func |init[(<?]|deinit|subscript|var [A-Za-z_`]+:[^=]*\{$)/ {
  match($0, /^ */)
  began[RLENGTH] = FNR
}

FILENAME ~ /\.c$/ && /^[A-Za-z_].*\(.*\{$/ { began[0] = FNR }
