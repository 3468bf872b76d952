#!/bin/bash
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/conformance/gpu.sh WHEEL TRITON OUT [STEP...]
#
# All that the Python package is measured by on a machine with a GPU and torch. WHEEL is installed into the environment of
# python3; TRITON is a checkout of Triton's sources, of the release that is installed there; OUT becomes a folder of at most 8
# files: a JSON file for each step and log.txt. Packages that pytest needs and that are missing are taken from the folder
# PACKAGES, when that is set. Steps, all by default and in this order:
#
#   tests, conformance, tutorials   at the same time: of the seconds in their files only the compiler's mean something
#   launch, start, inductor         one after the other, with nothing beside them
#
# LIMIT is the time for all of it in seconds (540): a step that would end later is stopped.
set -u
wheel=$(realpath "$1") triton=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
shift 3
steps=${*:-tests conformance tutorials launch start inductor}
root=$(cd "$(dirname "$0")/../.." && pwd)
limit=${LIMIT:-540} cores=$(nproc)
log=$out/log.txt
: > "$log"

python3 -m pip install -q --no-deps --no-index --force-reinstall "$wheel" >> "$log" 2>&1 || {
  tail -5 "$log"
  exit 1
}
if [ -n "${PACKAGES:-}" ]; then
  python3 -m pip install -q --no-index --find-links "$PACKAGES" pytest pytest-xdist pytest-timeout >> "$log" 2>&1
fi
# Empty caches.
caches=$(mktemp -d)
trap 'rm -rf "$caches"' EXIT
export TILEC_CACHE_DIR=$caches/tilec TRITON_CACHE_DIR=$caches/triton TORCHINDUCTOR_CACHE_DIR=$caches/inductor
unset TILEC
cd "$caches"

wants() { case " $steps " in *" $1 "*) ;; *) false ;; esac; }

# Runs the command of a step, for no longer than there is time and than $2 seconds, with its output in a file of its own.
step() {
  local name=$1 most=$2 begin=$SECONDS left=$((limit - SECONDS))
  shift 2
  if [ $((left < most ? left : most)) -lt 10 ]; then
    echo "left out: no time" > "$caches/$name.log"
  else
    timeout -s INT -k 20 $((left < most ? left : most)) "$@" > "$caches/$name.log" 2>&1
    echo "status $?, $((SECONDS - begin)) s" >> "$caches/$name.log"
  fi
}

# The package's tests as counts and the names of what failed.
tests() {
  trap : INT # What pytest has by then is still to be written.
  python3 -m pytest -q -p no:cacheprovider -n "$1" --timeout 200 --junit-xml "$caches/tests.xml" "$root/python/tests"
  python3 - "$caches/tests.xml" "$out/tests.json" << 'END'
import collections, json, sys
import xml.etree.ElementTree as tree

import tilec, torch, triton

counts, failed, is_complete = collections.defaultdict(collections.Counter), {}, True
for case in tree.parse(sys.argv[1]).iter("testcase"):
    found = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
    outcome = "passed" if found is None else "skipped" if found.tag == "skipped" else "failed"
    if not case.get("classname"):
        is_complete = False  # One that was stopped.
        continue
    file = case.get("classname").split(".")[-1]
    counts[file][outcome] += 1
    if outcome == "failed":
        failed[f"{file}::{case.get('name')}"] = (found.get("message") or found.text or "")[:300]
with open(sys.argv[2], "w") as file:
    json.dump({"device": torch.cuda.get_device_name() if torch.cuda.is_available() else "none", "torch": torch.__version__,
               "triton": triton.__version__, "tilec": tilec.__version__, "is_complete": is_complete, "files": counts,
               "failed": failed}, file, indent=1)
    file.write("\n")
END
}
export -f tests
export out root caches

if wants tests; then step tests 300 bash -c "tests $((cores / 5 + 1))" & fi
if wants tutorials; then
  step tutorials 420 python3 "$root/tools/conformance/tutorials.py" --json "$out/tutorials.json" "$triton/python/tutorials" &
fi
if wants conformance; then
  CONFORMANCE_LIMIT=280 step conformance 320 "$root/tools/conformance/run.sh" "$triton/python/test" \
    "$out/conformance.json" "${DEVICE:-cuda}" $((cores * 3 / 4 > 1 ? cores * 3 / 4 : 1)) &
fi
wait
bench=$root/tools/bench
if wants launch; then step launch 60 python3 "$bench/python_launch.py" --json "$out/python-launch.json"; fi
if wants start; then step start 180 python3 "$bench/python_start.py" --repeats 2 --json "$out/python-start.json"; fi
if wants inductor; then step inductor 200 python3 "$bench/inductor.py" --json "$out/inductor.json"; fi

for name in $steps; do
  { echo "=== $name"; tail -c 60000 "$caches/$name.log"; } >> "$log"
  printf '%-12s %s\n' "$name" "$(tail -1 "$caches/$name.log")"
done
for name in tests conformance tutorials; do
  if wants $name; then grep -E "^[0-9]+ (passed|failed)|^judged|passed.* in [0-9]|^FAILED" "$caches/$name.log" | head -20; fi
done
for name in launch start inductor; do
  if wants $name; then grep -E "tilec|error|kernels" "$caches/$name.log" | head -12; fi
done
echo "$SECONDS s; files: $(cd "$out" && echo *)"
