#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The time from source to the tile dialect for an attention backward of about a thousand lines: the helper of
# examples/46-attention-backward.tile under many names, each called twice by one kernel. Prints the least of some runs.
#
# usage: front-end-time.sh TILEC [COPIES [RUNS]]
set -eu
tilec=$1
copies=${2:-27}
runs=${3:-10}
root=$(cd "$(dirname "$0")/../.." && pwd)
source=$(mktemp --suffix=.tile)
trap 'rm -f "$source"' EXIT

awk -v copies="$copies" '
  /^@triton.jit/ { decorator = NR; part = ""; next }
  decorator == NR - 1 && /^def / { part = /^def add_queries\(/ ? "helper" : /^def attention_backward_keys\(/ ? "kernel" : "" }
  part == "helper" { helper = helper $0 "\n" }
  part == "kernel" && /add_queries\(/ { calling = 1 }
  part == "kernel" && calling && /tl.store/ { calling = 0; part = "end" }
  part == "kernel" { if (calling) calls = calls $0 "\n"; else head = head $0 "\n" }
  part == "end" { tail = tail $0 "\n" }
  function named(text, copy) { gsub(/add_queries\(/, "add_queries_" copy "(", text); return text }
  END {
    for (copy = 0; copy < copies; ++copy) print "@triton.jit\n" named(helper, copy)
    print "@triton.jit\n" head
    for (copy = 0; copy < copies; ++copy) printf "%s", named(calls, copy)
    printf "%s", tail
  }' "$root/examples/46-attention-backward.tile" > "$source"

for run in $(seq "$runs"); do
  "$tilec" check "$source" --stop-after tile --json --jobs 1 --const HEAD_DIM=64 --const BLOCK_M=64 --const BLOCK_N=64 \
    --const CAUSAL=True
done | awk -v lines="$(wc -l < "$source")" '
  /"status":/ && !/"ok"/ { failed = 1 }
  /"parse":/ { parse = $2 }
  /"tile":/ { time = parse + $2; if (least == "" || time < least) least = time }
  END {
    if (failed || least == "") { print "front-end-time: the source does not compile"; exit 1 }
    printf "%d lines to the tile dialect: %.1f ms\n", lines, least
  }'
