#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks an unpacked portable package: its programs run, its library exports tilec_* and nothing else, they need
# nothing of the machine but glibc, and the library compiles a kernel in a process that has loaded another LLVM first,
# with its symbols in everybody's view.
#
# usage: check-package.sh DIR            DIR: the folder tilec-portable
set -eu
package=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
library=$package/lib/libtilec.so

"$package/bin/tilec" --version > /dev/null
"$package/bin/tile-lsp" --version > /dev/null
"$package/bin/tilec" kernels "$package/share/tilec/examples/05-softmax.tile" > /dev/null

foreign=$(nm -D --defined-only "$library" | awk '$3 !~ /^tilec_/ { print $3 }')
[ -z "$foreign" ] || { echo "check-package: libtilec.so exports: $foreign" >&2; exit 1; }
"$root/tools/dev/check-needs.sh" "$library" "$package/bin/tilec"

llvm=
for candidate in /usr/lib/llvm-*/lib/libLLVM.so /usr/lib/llvm-*/lib/libLLVM-*.so /usr/lib/*/libLLVM*.so*; do
  if [ -e "$candidate" ]; then llvm=$candidate; fi
done
[ -n "$llvm" ] || { echo "check-package: no other LLVM on this machine, that part is left out"; exit 0; }
python3 - "$llvm" "$library" "$package/share/tilec/examples/05-softmax.tile" "$root/tools/bench" <<'PYTHON'
import ctypes
import sys

llvm, library, source, bench = sys.argv[1:]
other = ctypes.CDLL(llvm, mode=ctypes.RTLD_GLOBAL)
# The other LLVM is alive: it has a context of its own while tilec compiles.
other.LLVMContextCreate.restype = ctypes.c_void_p
context = ctypes.c_void_p(other.LLVMContextCreate())
sys.path.insert(0, bench)
import libtilec

image, metadata = libtilec.Compiler(library).compile(
    source, "softmax", {"x_ptr": "*fp32:16", "y_ptr": "*fp32:16", "x_stride": "i32", "y_stride": "i32", "n": "i32"},
    {"BLOCK": 1024}, 4, stage=libtilec.PTX)
assert b".entry softmax(" in image, image[:200]
other.LLVMContextDispose(context)
print("check-package: compiles beside", llvm)
PYTHON
