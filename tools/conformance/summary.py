# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outcomes of Triton's tests as a table.

    python tools/conformance/summary.py RESULTS
    python tools/conformance/summary.py --merge RESULTS PART...
"""

import collections
import json
import re
import sys

COLUMNS = ["passed", "wrong", "refused", "error", "crash", "wording", "accepted", "ptx", "ir", "skipped"]


def write(path: str, files: dict, others: list):
    """The counts of each file, and what did not pass: how often, for each test's function and outcome, with one reason."""
    groups: dict[tuple, dict] = {}
    for outcome in others:
        test = outcome["test"].split("[")[0].split("unit/")[-1]
        group = groups.setdefault((test, outcome["outcome"]), {"test": test, "outcome": outcome["outcome"], "count": 0})
        group["count"] += 1
        # Of paths the file's name: the rest is this machine's.
        group.setdefault("example", re.sub(r"/[\w.-]+(/[\w.-]+)+/?", lambda path: path[0].split("/")[-1], outcome["why"])[:160])
    with open(path, "w") as file:
        json.dump({"files": {name: dict(counts) for name, counts in sorted(files.items())}, "groups": list(groups.values())},
                  file, indent=1)
        file.write("\n")


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
        write(path, files, others)
    with open(path) as file:
        found = json.load(file)
    total = collections.Counter()
    print("| file | " + " | ".join(COLUMNS) + " |\n|---|" + "---|" * len(COLUMNS))
    for name, counts in found["files"].items():
        total.update(counts)
        print(f"| {name.split('/')[-1]} | " + " | ".join(str(counts.get(column, 0)) for column in COLUMNS) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in COLUMNS) + " |")
    judged = sum(total[column] for column in ("passed", "wrong", "refused", "error", "crash"))
    print(f"\njudged {judged}, passed {100 * total['passed'] / max(judged, 1):.2f} %")


if __name__ == "__main__":
    main()
