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

#: Outcomes that are judged, all but the first two against tilec, and the others; tilec_conformance.py says what they are.
JUDGED = ["passed", "one-cta", "wrong", "refused", "fault", "error", "crash"]
OTHERS = ["wording", "accepted", "ptx", "ir", "slow", "skipped"]
#: Columns that are left out where they are empty.
RARE = {"fault", "slow"}


def write(path: str, about: dict, files: dict, others: list):
    """The counts of each file, and what did not pass: how often, for each test's function and outcome, with one reason."""
    groups: dict[tuple, dict] = {}
    for outcome in others:
        test = outcome["test"].split("[")[0].split("unit/")[-1]
        group = groups.setdefault((test, outcome["outcome"]), {"test": test, "outcome": outcome["outcome"], "count": 0})
        group["count"] += 1
        # Of paths the file's name: the rest is this machine's.
        why = re.sub(r"/[\w.-]+(/[\w.-]+)+/?", lambda path: path[0].split("/")[-1], outcome["why"])[:160]
        if why:
            group.setdefault("example", why)
    groups = dict(sorted(groups.items()))
    with open(path, "w") as file:
        json.dump({**about, "files": {name: dict(counts) for name, counts in sorted(files.items())},
                   "groups": list(groups.values())}, file, indent=1)  # yapf: disable
        file.write("\n")


def merge(path: str, parts: list):
    files, others, about = collections.defaultdict(collections.Counter), [], {}
    for part in parts:
        with open(part) as file:
            found = json.load(file)
        for name, counts in found["files"].items():
            files[name].update(counts)
        others += found["others"]
        about.update(found["about"])
    write(path, about, files, others)


def main():
    path, *parts = sys.argv[2:] if sys.argv[1] == "--merge" else sys.argv[1:]
    if parts:
        merge(path, parts)
    with open(path) as file:
        found = json.load(file)
    total = collections.Counter()
    for counts in found["files"].values():
        total.update(counts)
    columns = [column for column in JUDGED + OTHERS if column not in RARE or total[column]]
    print("| file | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for name, counts in found["files"].items():
        print(f"| {name.split('unit/')[-1]} | " + " | ".join(str(counts.get(column, 0)) for column in columns) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in columns) + " |")
    judged, passed = sum(total[column] for column in JUDGED), total["passed"] + total["one-cta"]
    print(f"\njudged {judged}, passed {passed} ({100 * passed / max(judged, 1):.2f} %), {total['one-cta']} of these with one CTA "
          "where clusters were asked for")
    print(", ".join(f"{name} {found[name]}" for name in ("device", "torch", "triton", "tilec", "date") if name in found))


if __name__ == "__main__":
    main()
