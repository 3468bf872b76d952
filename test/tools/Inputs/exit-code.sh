#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: exit-code.sh EXPECTED COMMAND...     fails when the command does not exit with EXPECTED
expected=$1
shift
"$@"
got=$?
[ "$got" = "$expected" ] && exit 0
echo "exit code $got, expected $expected: $*" >&2
exit 1
