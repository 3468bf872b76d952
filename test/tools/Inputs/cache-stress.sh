#!/usr/bin/env bash
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The cache under stress, with the tilec of PATH.
#
# usage: cache-stress.sh FOLDER KERNELS PROCESSES KILLS
#
# 1. PROCESSES shells compile the same KERNELS kernels, each in another order, into one empty cache. Every kernel must be
#    compiled once, or twice when a wait ran out; nothing may fail, and all results of a kernel are the same bytes.
# 2. KILLS times a few compilations are killed at a random moment. Afterwards every entry is whole, and every kernel
#    comes out as it did before.
set -u
folder=$1 kernels=$2 processes=$3 kills=$4
seed=${SEED:-$RANDOM}
RANDOM=$seed
echo "seed $seed"
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
unset TILEC_NO_CACHE TILEC_SHARED_CACHE
export TILEC_CACHE_DIR=$PWD/cache

for ((k = 0; k < kernels; k++)); do
  cat >"k$k.tile" <<TILE
@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * $k.5, mask=offs < n)
TILE
done

# compile KERNEL OUTPUT: says on standard error whether it was in the cache
compile() {
  tilec compile "k$1.tile" --arg 'x_ptr=*fp32' --arg n=i32 --const BLOCK=256 --time -o "$2"
}

worker() {
  local k
  for ((i = 0; i < kernels; i++)); do
    k=$(((i + $1 * 7) % kernels))
    compile "$k" "out.$1.$k" 2>>"log.$1.$k" || { echo "worker $1: kernel $k failed"; cat "log.$1.$k"; }
    cmp -s "out.$1.$k" "out.0.$k" || [ "$1" = 0 ] || [ ! -s "out.0.$k" ] || echo "worker $1: kernel $k differs" >>differs
  done
}

failed=0
for ((p = 0; p < processes; p++)); do worker "$p" >>errors 2>&1 & done
wait
compiled=$(cat log.* | grep -c '^tilegpu ')
most=0
for ((k = 0; k < kernels; k++)); do
  count=$(cat log.*."$k" | grep -c '^tilegpu ')
  [ "$count" -gt "$most" ] && most=$count
  for ((p = 1; p < processes; p++)); do
    cmp -s "out.$p.$k" "out.0.$k" || { echo "kernel $k differs in process $p"; failed=1; }
  done
done
[ -s errors ] && { cat errors; failed=1; }
echo "$processes processes, $kernels kernels: $compiled compilations, at most $most of one"
[ "$most" -le 2 ] || failed=1
tilec cache verify || failed=1

rm -rf "$TILEC_CACHE_DIR"
for ((round = 0; round < kills; round++)); do
  pids=()
  for ((j = 0; j < 3; j++)); do
    tilec compile "k$((RANDOM % kernels)).tile" --arg 'x_ptr=*fp32' --arg n=i32 --const BLOCK=256 -o "killed.$j" \
      >/dev/null 2>&1 &
    pids+=($!)
  done
  sleep "0.$((RANDOM % 3))$((RANDOM % 10))$((RANDOM % 10))"
  kill -9 "${pids[@]}" 2>/dev/null
  wait 2>/dev/null
done 2>/dev/null
verdict=$(tilec cache verify) || failed=1
echo "after $kills kills: $verdict"
case $verdict in *" 0 removed") ;; *) failed=1 ;; esac
for ((k = 0; k < kernels; k++)); do
  compile "$k" "after.$k" 2>/dev/null || failed=1
  cmp "after.$k" "out.0.$k" || failed=1
done
[ "$failed" = 0 ] && echo "stress passed"
exit "$failed"
