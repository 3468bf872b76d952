#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packs a portable build into DIR/tilec-portable.tar.xz: the program under its two names, the library, the headers, the
# examples, the open math library's bitcode, and the benchmark of launches.
set -eu
dir=$1
stage=$dir/tilec-portable
rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/lib" "$stage/include/tilec" "$stage/share/tilec/examples"
cp "$dir/bin/tilec-portable" "$stage/bin/tilec"
ln -s tilec "$stage/bin/tilec-examples"
cp "$dir/bin/tilec-launch-overhead" "$stage/bin/"
cp -P "$dir/lib/"libtilec.so* "$stage/lib/"
strip "$stage/bin/tilec" "$stage/bin/tilec-launch-overhead" "$stage/lib/libtilec.so".*.*.*
cp include/tilec/*.h include/tilec/*.hpp "$stage/include/tilec/"
cp examples/*.tile "$stage/share/tilec/examples/"
if [ -f "$dir/share/tilec/nvptx64--.bc" ]; then
  cp "$dir/share/tilec/nvptx64--.bc" "$stage/share/tilec/"
fi
cp LICENSE README.md "$stage/"
tar -C "$dir" -cf - tilec-portable | xz -T0 "${XZ_LEVEL:--6}" > "$dir/tilec-portable.tar.xz"
echo "$dir/tilec-portable.tar.xz: $(($(stat -c %s "$dir/tilec-portable.tar.xz") / 1000000)) MB"
