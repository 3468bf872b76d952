#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the .td files are the manual that they claim to be: every op, type, attribute and pass has a summary and a
# description; every op, type and attribute has an example there and occurs in a lit test of its dialect; every pass has
# the test <flag>.mlir; every constraint label (`load_c2`) is the name, or the start of the name, of a test function.
# A definition is known by the end of its name: Op, Type, Attr or Pass.
#
# usage: check-docs.sh [ROOT]           prints one line per violation; exits 1 when there is one, 2 when it cannot look
set -u
root=${1:-$(dirname "$0")/../..}
cd "$root" || exit 2

folders=
for folder in dialects include lib; do
  [ -d "$folder" ] && folders="$folders $folder"
done
[ -n "$folders" ] || { echo "check-docs: no source folders in '$root'" >&2; exit 2; }

# Tests first: the awk program knows them all when it comes to the .td files.
# shellcheck disable=SC2086
{
  [ -d test ] && find test -type f -name '*.mlir'
  find $folders -type f -name '*.td'
} | LC_ALL=C sort -r | LC_ALL=C awk '
function fail(at, text) { print file ":" at ": " text; failures++ }

# Takes note of what a test holds: its functions names and the operations and types that it spells.
function readTest(    text, word, rest) {
  testText = ""
  while ((getline text < file) > 0) testText = testText " " text
  close(file)
  word = file
  sub(/.*\//, "", word)
  hasTest[word] = 1
  rest = testText
  while (match(rest, /@[A-Za-z_0-9]+/)) {
    word = substr(rest, RSTART + 1, RLENGTH - 1)
    rest = substr(rest, RSTART + RLENGTH)
    while (match(word, /_c[0-9]+/)) { # The label is the name up to _cN.
      isTested[substr(word, 1, RSTART + RLENGTH - 1)] = 1
      word = substr(word, 1, RSTART - 1)
    }
  }
  rest = testText
  while (match(rest, /[a-z][a-z_0-9]*\.[a-z][a-z_0-9]*/)) {
    isSpelled[substr(rest, RSTART, RLENGTH)] = 1
    rest = substr(rest, RSTART + RLENGTH)
  }
}

# The text of string `field` in a record: "..." or [{...}], empty when it is missing.
function fieldOf(record, field,    at) {
  if (!match(record, "let " field " = ")) return ""
  record = substr(record, RSTART + RLENGTH)
  if (substr(record, 1, 2) == "[{") {
    at = index(record, "}]")
    record = substr(record, 3, at - 3)
  } else {
    record = substr(record, 2)
    at = index(record, "\"")
    record = substr(record, 1, at - 1)
  }
  gsub(/^[ \t\n]+|[ \t\n]+$/, "", record)
  return record
}

function checkRecord(    kind, spelled, flag, description) {
  if (name == "" || !match(name, /(Op|Type|Attr|Pass)$/)) return
  kind = substr(name, RSTART)
  # Constraints and enums end in Attr or Type as well: only definitions of the dialect have a mnemonic or a flag.
  if (kind == "Pass" || kind == "Op") {
    if (!match(record, /<[ \n]*"[^"]*"/)) return
    spelled = substr(record, RSTART, RLENGTH)
    gsub(/^[^"]*"|"$/, "", spelled)
  } else spelled = fieldOf(record, "mnemonic")
  if (spelled == "") return
  definitions++
  if (fieldOf(record, "summary") == "") fail(start, "'"'"'" name "'"'"' has no summary")
  description = fieldOf(record, "description")
  if (description == "") fail(start, "'"'"'" name "'"'"' has no description")
  if (kind == "Pass") {
    if (!((spelled ".mlir") in hasTest)) fail(start, "pass '"'"'" spelled "'"'"' has no test '"'"'" spelled ".mlir'"'"'")
    return
  }
  if (description !~ /Example/ && description !~ /```/) fail(start, "'"'"'" name "'"'"' has no example")
  if (!((dialect "." spelled) in isSpelled)) fail(start, "no test spells '"'"'" dialect "." spelled "'"'"'")
}

function readDefinitions(    text, line, word, rest) {
  dialect = file
  sub(/\/[^\/]*$/, "", dialect)
  sub(/.*\//, "", dialect)
  dialect = tolower(dialect)
  name = ""
  for (line = 1; (getline text < file) > 0; line++) {
    if (text ~ /^(def|class|defm|#endif|#ifndef|include|\/\/)/) {
      checkRecord()
      name = ""
      if (text ~ /^def /) {
        split(text, word, /[ :{<]+/)
        name = word[2]
        record = ""
        start = line
      }
    }
    record = record "\n" text
    rest = text
    while (match(rest, /`[a-z][a-z_0-9]*_c[0-9]+`/)) {
      word[1] = substr(rest, RSTART + 1, RLENGTH - 2)
      rest = substr(rest, RSTART + RLENGTH)
      labels++
      if (!(word[1] in isTested)) fail(line, "no test function is named after constraint '"'"'" word[1] "'"'"'")
    }
  }
  checkRecord()
  close(file)
}

{
  file = $0
  if (file ~ /\.mlir$/) readTest()
  else readDefinitions()
}

END {
  print definitions + 0 " definitions and " labels + 0 " constraints checked, " failures + 0 " violations"
  exit failures > 0
}'
