#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/conformance/run.sh TESTS RESULTS [DEVICE] [JOBS]
#
# Runs Triton's tests of the language through tilec: TESTS is the folder python/test of a checkout of Triton's sources,
# RESULTS becomes a JSON file of outcomes (summary.py prints it as a table). Tests that end in a device's fault run in
# processes of their own.
set -eu
tests=$1 results=$2 device=${3:-cuda} jobs=${4:-15}
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$tests"
run() {
  python3 -m pytest -p tilec_conformance -p no:cacheprovider --rootdir . -q --device "$device" --timeout 120 "$@" || true
}
run -n "$jobs" --conformance "$work/all.json" unit/language unit/cuda > "$work/log" 2>&1
tail -1 "$work/log"
run --collect-only unit/test_debug.py 2> /dev/null | grep '::' > "$work/apart" || true
# One process for each; a name can have blanks.
number=0
while IFS= read -r test; do
  number=$((number + 1))
  printf '%s\0%s\0' "$work/apart-$number.json" "$test"
done < "$work/apart" | xargs -0 -n 2 -P "$jobs" sh -c 'python3 -m pytest -p tilec_conformance -p no:cacheprovider \
  --rootdir . -q --device '"$device"' --conformance "$0" "$1" > /dev/null 2>&1 || true'
python3 "$here/summary.py" --merge "$results" "$work"/*.json
