#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packs a portable build into DIR/tilec-portable.tar.xz: programs, examples, and the open math library's bitcode.
set -eu
dir=$1
stage=$dir/tilec-portable
rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/share/tilec/examples"
for program in tilec tilec-examples tile-opt; do
  [ -f "$dir/bin/$program" ] || continue
  cp "$dir/bin/$program" "$stage/bin/"
  strip "$stage/bin/$program"
done
cp examples/*.tile "$stage/share/tilec/examples/"
cp "$dir"/share/tilec/*.bc "$stage/share/tilec/" 2>/dev/null || echo "package: no bitcode of libclc"
cp LICENSE README.md "$stage/"
tar -C "$dir" -cf - tilec-portable | xz -T0 -6 > "$dir/tilec-portable.tar.xz"
ls -l "$dir/tilec-portable.tar.xz"
