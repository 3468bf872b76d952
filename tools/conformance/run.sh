#!/bin/sh
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/conformance/run.sh TESTS RESULTS [DEVICE] [JOBS] [N]
#
# Runs Triton's tests of the language through tilec: TESTS is the folder python/test of a checkout of Triton's sources,
# RESULTS becomes a JSON file of outcomes (summary.py prints it as a table). DEVICE is cuda, or cpu for the simulator; of
# each N tests one is run, always the same (1 by default, 40 on the simulator). On a GPU, tests that end in a device's fault
# run in processes of their own. CONFORMANCE_LIMIT bounds the whole in seconds: what is not done by then is left out.
set -eu
tests=$(cd "$1" && pwd) device=${3:-cuda} jobs=${4:-15}
results=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"
# There is a process for each core.
export OMP_NUM_THREADS=1 TILEC_SIM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$tests"
options="--rootdir . --device $device"
case $device in
cpu) every=${5:-40} seconds=60 files="unit/language unit/test_debug.py" ;;
*) every=${5:-1} seconds=120 files=unit/language ;;
esac

# Runs the tests of files in $2 processes, with their outcomes in the file $1. A test that does not come back from the
# driver ends with its process; after an interrupt the outcomes are written.
run() {
  file=$1 count=$2
  shift 2
  timeout -s INT -k 30 "${CONFORMANCE_LIMIT:-3000}" python3 -m pytest -p tilec_conformance -p no:cacheprovider -q --tb=no \
    -n "$count" --dist worksteal --timeout $seconds --timeout-method thread $options --conformance "$work/$file.json" \
    --conformance-sample "$every" "$@" > "$work/$file.log" 2>&1 || true
}

if [ "$device" != cpu ]; then
  python3 "$here/apart.py" "$work" $((jobs / 4 + 1)) unit/test_debug.py $options > "$work/apart.log" 2>&1 &
fi
# There is another package of the name of that folder.
run cuda $((jobs / 8 + 1)) --import-mode importlib unit/cuda &
run all "$jobs" $files
wait
for file in all cuda; do
  if [ ! -f "$work/$file.json" ]; then
    tail -n 40 "$work/$file.log"
    exit 1
  fi
done
tail -n 1 -q "$work/all.log" "$work/cuda.log"
python3 "$here/summary.py" --merge "$results" "$work"/*.json
