#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packs a portable build into DIR/tilec-portable.tar.xz: what `cmake --install` installs (programs, library, headers,
# CMake package, example kernels, the open math library's bitcode), tilec under its other names, tilec-examples and
# tilec-language-tests, tile-lsp, and the benchmark of launches. With TILEC_PACKAGE_HOST=1 the programs of examples/host
# as well, built against the package, for machines without a compiler.
set -eu
dir=$1
stage=$(cd "$dir" && pwd)/tilec-portable
rm -rf "$stage"
cmake --install "$dir" --prefix "$stage" --strip > "$dir/install.log"
ln -s tilec "$stage/bin/tilec-examples"
ln -s tilec "$stage/bin/tilec-language-tests"
ln -s tilec "$stage/bin/tile-lsp"
cp "$dir/bin/tilec-launch-overhead" "$stage/bin/"
strip "$stage/bin/tilec" "$stage/bin/tilec-launch-overhead"
cp LICENSE README.md "$stage/"
if [ "${TILEC_PACKAGE_HOST:-0}" = 1 ]; then
  # The C++ runtime goes into the programs; they find the library beside their folder.
  cmake -G Ninja -S examples/host -B "$dir/host" -DCMAKE_PREFIX_PATH="$stage" -DCMAKE_C_COMPILER=clang-22 \
    -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_EXE_LINKER_FLAGS="-static-libstdc++ -static-libgcc" \
    -DCMAKE_BUILD_RPATH='$ORIGIN/../lib' > "$dir/host.log"
  ninja -C "$dir/host"
  mkdir "$stage/host"
  for program in softmax tune mlp add bundle matmul-bundle gather transformer; do
    cp "$dir/host/$program" "$stage/host/"
  done
fi
tar -C "$dir" -cf - tilec-portable | xz -T0 "${XZ_LEVEL:--6}" > "$dir/tilec-portable.tar.xz"
echo "$dir/tilec-portable.tar.xz: $(($(stat -c %s "$dir/tilec-portable.tar.xz") / 1000000)) MB"
