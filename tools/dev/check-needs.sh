#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that portable programs and libraries need nothing of the machine but glibc, none newer than 2.35 (Ubuntu 22.04).
#
# usage: check-needs.sh FILE...
set -eu
for file; do
  foreign=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -v -E '^(lib(c|m|dl|pthread|rt|tilec)|ld-linux-x86-64)\.so\.[0-9]+$' || true)
  [ -z "$foreign" ] || { echo "check-needs: $file needs" $foreign >&2; exit 1; }
  newest=$(readelf -V "$file" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n | tail -1)
  [ "${newest#GLIBC_2.}" -le 35 ] || { echo "check-needs: $file needs $newest" >&2; exit 1; }
done
