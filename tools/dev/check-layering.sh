#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks the house rules that a compiler cannot: the level table of the design (a file includes its own folder and
# strictly lower levels), header guards that follow the path, the licence banner, no using-directives in headers, no
# files named Utils, Helpers, Common or Misc, and no environment, command-line option or process exit in the library.
#
# usage: check-layering.sh [ROOT]       prints one line per violation; exits 1 when there is one, 2 when it cannot look
set -u
root=${1:-$(dirname "$0")/../..}
cd "$root" || exit 2

folders=
for folder in lib include dialects runtime tools test; do
  [ -d "$folder" ] && folders="$folders $folder"
done
[ -n "$folders" ] || { echo "check-layering: no source folders in '$root'" >&2; exit 2; }

# The folder names hold no spaces: splitting $folders is meant.
# shellcheck disable=SC2086
# Below test, kernels in Python are inputs, not sources of ours.
find $folders \( -name corpus -o -name Inputs -o -path 'test/*.py' ! -name 'lit*.py' \) -prune -o -type f \
  \( -name '*.cpp' -o -name '*.c' -o -name '*.h' -o -name '*.hpp' -o -name '*.td' -o -name '*.inc' \
  -o -name '*.sh' -o -name '*.py' \) -print | LC_ALL=C sort | LC_ALL=C awk '
function fail(text) { print file ":" line ": " text; failures++ }

# The folder that a path belongs to: lib/X, include/tilec/X and dialects/X are one folder each; passes and
# conversions have one folder each below lib/Transforms and lib/Conversion; runtime and tools are one each.
function folderOf(path,    part, count) {
  count = split(path, part, "/")
  if (part[1] == "runtime" || part[1] == "tilecrt" || part[1] == "tools" || part[1] == "test")
    return part[1] == "tilecrt" ? "runtime" : part[1]
  if (part[1] == "dialects") return "dialects/" part[2]
  if (part[1] == "include" && part[2] == "tilec") { sub(/^include\/tilec\//, "", path) }
  else if (part[1] == "lib" || part[1] == "tilec") { sub(/^[^\/]*\//, "", path) }
  else return ""
  count = split(path, part, "/")
  if (count == 1 || part[1] == "Api") return "api"
  if (part[1] == "Transforms" || part[1] == "Conversion") return part[1] (count > 2 ? "/" part[2] : "")
  return part[1]
}

function levelOf(folder) {
  if (folder in level) return level[folder]
  if (folder ~ /^(Transforms|Conversion)(\/|$)/) return 5
  return -1
}

# The runtime is a house of its own; compiler and runtime meet in dependency-free headers.
function checkRuntimeBorder(target, included) {
  if (folder == "runtime") {
    if (target != "runtime") fail("runtime includes the compiler'"'"'s '"'"'" included "'"'"'")
  } else if (levelOf(folder) < level["Run"] && !(included in meeting))
    fail("'"'"'" folder "'"'"' includes the runtime'"'"'s '"'"'" included "'"'"'")
}

function checkInclude(included,    target) {
  target = folderOf(included)
  if (target == "" || target == folder) return
  if (target == "runtime" || folder == "runtime") { checkRuntimeBorder(target, included); return }
  if (levelOf(target) < 0) { fail("'"'"'" included "'"'"' is in no folder of the level table"); return }
  if (levelOf(target) >= levelOf(folder))
    fail("'"'"'" folder "'"'"' (level " levelOf(folder) ") includes '"'"'" target "'"'"' (level " levelOf(target) ")")
}

function guardOf(path) {
  sub(/^include\/tilec\//, "tilec/", path) || sub(/^runtime\/include\//, "", path) || path = "tilec/" path
  gsub(/[^A-Za-z0-9]/, "_", path)
  return toupper(path)
}

BEGIN {
  level["Support"] = 0
  level["Layout"] = level["Syntax"] = level["Cache"] = 1
  level["Sema"] = level["dialects/Tile"] = 2
  level["dialects/TileGPU"] = level["IRGen"] = 3
  level["Analysis"] = level["Interpreter"] = 4
  level["Target"] = 6
  level["Driver"] = 7
  level["Tuning"] = level["Bundle"] = 7.5
  level["Run"] = 7.8
  level["api"] = 8
  level["tools"] = 8.5
  level["test"] = 9
  level["runtime"] = 0
  meeting["tilecrt/KernelMetadata.h"] = meeting["tilecrt/Result.h"] = meeting["tilecrt/TensorMapValues.h"] = meeting["tilecrt/data/GridExpr.h"] = meeting["tilecrt/data/FloatFormat.h"] = meeting["tilecrt/sim/SimAbi.h"] = meeting["tilecrt/sim/SimAsyncAbi.h"] = meeting["tilecrt/sim/SimMatrixAbi.h"] = meeting["tilecrt/sim/Simulator.h"] = 1
}

{
  file = $0
  folder = folderOf(file)
  header = file ~ /\.(h|hpp)$/
  library = file ~ /^(lib|dialects|include)\//
  banner = spdx = guard = 0
  wanted = guardOf(file)
  name = file
  sub(/.*\//, "", name)
  line = 1
  if (tolower(name) ~ /(util|helper|common|misc)[a-z]*\./) fail("file named after no subject: '"'"'" name "'"'"'")
  if (levelOf(folder) < 0) fail("folder '"'"'" folder "'"'"' is not in the level table")

  for (line = 1; (status = (getline text < file)) > 0; line++) {
    if (line <= 8 && text ~ /Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions/) banner = 1
    if (line <= 8 && text ~ /SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception/) spdx = 1
    if (text ~ /^[ \t]*#ifndef / && !guard) {
      guard = 1
      split(text, word, " ")
      if (header && word[2] != wanted) fail("header guard '"'"'" word[2] "'"'"', expected '"'"'" wanted "'"'"'")
    }
    if (header && text ~ /^[ \t]*using namespace /) fail("using-directive in a header")
    if (text ~ /^[ \t]*#pragma once/) fail("#pragma once, expected the header guard '"'"'" wanted "'"'"'")
    if (text ~ /^[ \t]*#include "/ || text ~ /^include "/) {
      included = text
      sub(/^[^"]*"/, "", included)
      sub(/".*/, "", included)
      checkInclude(included)
    }
    if (text ~ /^[ \t]*#include ["<]mlir\// && (folder ~ /^(Support|Layout|Syntax|Cache|Tuning|runtime)$/))
      fail("'"'"'" folder "'"'"' includes MLIR")
    if (text ~ /^[ \t]*#include ["<]llvm\// && folder == "runtime") fail("'"'"'runtime'"'"' includes LLVM")
    code = text
    sub(/[ \t]*\/\/.*/, "", code)
    gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
    if (library && file ~ /\.(cpp|h|hpp)$/) {
      if (code ~ /(^|[^A-Za-z_])(secure_)?getenv *\(/ && file != "lib/Api/Environment.cpp") fail("the library reads the environment")
      if (code ~ /cl::opt/) fail("the library owns a command-line option")
      if (code ~ /(llvm::|[^A-Za-z_:.>])(errs|outs) *\(\)|std::(cerr|cout)/) fail("the library prints")
      if (code ~ /report_fatal_error|(^|[^A-Za-z_.>])(std::)?(_?exit|abort|quick_exit) *\(/) fail("the library ends the process")
    }
  }
  close(file)
  if (status < 0) { line = 1; fail("cannot read") }
  line = 1
  if (!banner || !spdx) fail("no licence banner")
  if (header && !guard) fail("no header guard, expected '"'"'" wanted "'"'"'")
  files++
}

END {
  print files " files checked, " failures + 0 " violations"
  exit failures > 0
}'
