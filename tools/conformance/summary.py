# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outcomes of Triton's tests as a table.

    python tools/conformance/summary.py RESULTS
    python tools/conformance/summary.py --merge RESULTS PART...
"""

import collections
import json
import sys

COLUMNS = ["passed", "wrong", "refused", "error", "wording", "accepted", "ptx", "ir", "skipped"]


def main():
    path, *parts = sys.argv[2:] if sys.argv[1] == "--merge" else sys.argv[1:]
    if parts:
        files, others = collections.defaultdict(collections.Counter), []
        for part in parts:
            with open(part) as file:
                found = json.load(file)
            for name, counts in found["files"].items():
                files[name].update(counts)
            others += found["others"]
        with open(path, "w") as file:
            json.dump({"files": {name: dict(counts) for name, counts in sorted(files.items())}, "others": others}, file, indent=1)
            file.write("\n")
    with open(path) as file:
        found = json.load(file)
    total = collections.Counter()
    print("| file | " + " | ".join(COLUMNS) + " |\n|---|" + "---|" * len(COLUMNS))
    for name, counts in found["files"].items():
        total.update(counts)
        print(f"| {name.split('/')[-1]} | " + " | ".join(str(counts.get(column, 0)) for column in COLUMNS) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in COLUMNS) + " |")
    judged = total["passed"] + total["wrong"] + total["refused"] + total["error"]
    print(f"\njudged {judged}, passed {100 * total['passed'] / max(judged, 1):.2f} %")


if __name__ == "__main__":
    main()
