# Names Swift types with more than `most` stored properties: "TYPE FILE:LINE COUNT". As swift-format lays them out: a
# type ends at the first line that begins with a brace as far in as its own first line, and its members stand two blanks
# further in. A property that is observed (willSet, didSet) is stored too; names in a tuple count one by one.
#
# A record is no state: a struct whose name ends in Configuration, Options, Statistics or Status and that keeps nothing
# private is a table that others fill and read.

function judge(depth) {
  if (count[depth] > most && !(is_record[depth] && !is_private[depth])) print name[depth], place[depth], count[depth]
  delete count[depth]
  delete name[depth]
  delete place[depth]
}

function names_in(text) {
  if (text !~ /^\(/) return 1
  sub(/\).*/, "", text)
  return gsub(/,/, "", text) + 1
}

BEGIN {
  modifier = "^(public|package|internal|fileprivate|private|open|static|class|final|indirect|lazy|weak|unowned|nonisolated)"
  modifier = modifier "(\\([a-z]+\\))? +[a-z]"
}

FNR == 1 {
  for (depth in name) delete name[depth]
  undecided = ""
}

# A property whose line ends in a brace: its next line tells whether it is computed or only observed.
undecided != "" {
  if ($0 ~ /^ *(willSet|didSet)/) count[undecided] += pending
  undecided = ""
}

{
  match($0, /^ */)
  depth = RLENGTH
}

/^ *\}/ && depth in name { judge(depth) }

{
  line = $0
  sub(/^ */, "", line)
  while (sub(/^@[A-Za-z_]+(\([^()]*(\([^()]*\)[^()]*)*\))? +/, "", line)) continue
  isStatic = isPrivate = 0
  while (line ~ modifier && line !~ /^class +[A-Z]/) {
    if (line ~ /^(static|class) /) isStatic = 1
    if (line ~ /^(file)?private /) isPrivate = 1
    sub(/^[a-z]+(\([a-z]+\))? +/, "", line)
  }
}

line ~ /^(class|struct|actor) +[A-Za-z_]/ && $0 !~ /\} *$/ {
  split(line, words, /[ :<{]+/)
  name[depth] = words[2]
  place[depth] = FILENAME ":" FNR
  count[depth] = is_private[depth] = 0
  is_record[depth] = words[1] == "struct" && words[2] ~ /(Configuration|Options|Statistics|Status)$/
  next
}

!isStatic && line ~ /^(let|var) / && (depth - 2) in name {
  owner = depth - 2
  if (isPrivate) is_private[owner] = 1
  sub(/^(let|var) +/, "", line)
  pending = names_in(line)
  if (line ~ /[^=] \{$/) { undecided = owner; next }
  if (line ~ /^[A-Za-z_`]+: [^={]+\{ .*\}$/ && line !~ /\{ *(willSet|didSet)/) next
  count[owner] += pending
}
