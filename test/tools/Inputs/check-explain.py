# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what has to hold in every report of 'tilec explain --json'.

usage: check-explain.py REPORT
"""

import json
import sys


def check_samples(report):
    """Samples of a GPU are at lines and calls, or at no line; those of a line have a reason."""
    samples = report["samples"]
    if samples is None or "absent" in samples:
        assert all(line["samples"] is None for line in report["lines"]) and report["verdict"]["hottest"] is None
        return
    lines = [line["samples"] for line in report["lines"] if line["samples"]]
    assert sum(line["self"] for line in lines) + samples["unplaced"] == samples["count"]
    assert sum(reason["count"] for reason in samples["reasons"]) == samples["count"]
    assert abs(sum(call["samples"] for call in report["calls"]) + samples["unplaced"] - samples["count"]) <= len(report["calls"])
    names = [reason["name"] for reason in samples["reasons"]]
    for line in lines:
        assert sum(line["stalls"].values()) == line["self"] <= line["all"] <= samples["count"]
        assert set(line["stalls"]) <= set(names) and list(line["stalls"]) == [name for name in names if name in line["stalls"]]
    hottest = report["verdict"]["hottest"]
    line = report["lines"][hottest["line"]]["samples"]
    assert line["self"] == max(other["self"] for other in lines)
    assert line["stalls"][hottest["reason"]] == max(line["stalls"].values())


def check_code(report):
    """Instructions of lines are some of the code's."""
    code = report["code"]
    assert (code is None) == any(stage["name"] == "sass" and "absent" in stage for stage in report["stages"])
    if code is None:
        assert all(line["code"] is None for line in report["lines"])
        return
    counts = {kind["name"]: kind["count"] for kind in code["classes"]}
    assert sum(count for name, count in counts.items() if name != "exchange") == code["instructions"]
    for name, count in counts.items():
        assert 0 <= sum(line["code"].get(name, 0) for line in report["lines"]) <= count
    assert all(set(line["code"]) <= set(counts) for line in report["lines"])


def check_counted(report):
    """What follows from a run on the simulator."""
    lines = report["lines"]
    for buffer in report["shared"]["buffers"]:
        assert buffer["offset"] + buffer["size"] <= report["shared"]["total"]
        assert buffer["begin"] <= buffer["end"] < report["shared"]["steps"]
    share = sum(call["share"] for call in report["calls"])
    assert 0.98 < share < 1.02, f"shares of calls add up to {share}"
    assert all(0 <= line["selfShare"] <= line["share"] * 1.001 for line in lines)
    loads = sum(call["counters"].get("globalLoad", {}).get("cost", 0) for call in report["calls"])
    assert loads == report["totals"].get("globalLoad", {}).get("cost", 0)
    terms = report["time"]["terms"]
    assert max(terms, key=lambda term: term["time"])["name"] == report["time"]["bound"]
    assert report["time"]["predicted"] >= max(term["time"] for term in terms)


def check_uncounted(report):
    """Of a kernel that did not run there, what only it says is not known."""
    assert all(report[key] is None for key in ("totals", "roofline", "shared", "schedule", "timeline"))
    assert report["time"]["predicted"] is report["time"]["bound"] is report["verdict"]["bound"] is None
    assert not report["time"]["terms"] and not report["verdict"]["suggestions"]
    for entry in report["lines"] + report["calls"]:
        assert all(entry[key] is None for key in ("counters", "time", "share"))


def check_requests(report):
    """A request begins in its first line of memory, and no line of the source has fewer requests."""
    for tensor in report["tensors"]:
        request = tensor["access"] and tensor["access"]["request"]
        if not request:
            continue
        lanes = [lane for lane in request["lanes"] if lane]
        assert len(request["lanes"]) == 32 and lanes
        assert 0 <= min(offset for offset, _ in lanes) < 128 and all(0 < size <= 16 for _, size in lanes)
        assert all(at < size for at, size in zip(request["program"], report["launch"]["grid"]))
        assert 0 <= request["warp"] < report["launch"]["threadsPerCta"] / 32
        kind = {"load": "globalLoad", "store": "globalStore"}.get(tensor["access"]["kind"])
        if kind:
            assert 0 < request["requests"] <= report["lines"][tensor["line"]]["counters"][kind]["requests"]


def check(report):
    lines, files = report["lines"], report["files"]
    places = [(line["file"], line["line"]) for line in lines]
    assert places == sorted(set(places)), "lines are in order, each once"
    for file, line in places:
        assert 0 <= file < len(files)
        first = files[file]["firstLine"]
        if not files[file]["lines"]:
            continue  # A file of Triton's own.
        assert first <= line < first + len(files[file]["lines"]), f"line {line} of {files[file]['name']}"
    for stage in report["stages"]:
        if "absent" in stage:
            continue
        assert len(stage["lines"]) == len(stage["source"]) > 0, stage["name"]
        for number, source in enumerate(stage["source"]):
            for index in source:
                assert number in lines[index]["stages"][stage["name"]], "links go both ways"
        assert any(stage["source"]), f"{stage['name']} has lines of the source"
    for key in ("tensors", "conversions", "findings"):
        for entry in report[key]:
            assert entry["line"] is None or 0 <= entry["line"] < len(lines)
    (check_counted if report["compiler"] == "tilec" else check_uncounted)(report)
    gains = [suggestion["gain"] for suggestion in report["verdict"]["suggestions"]]
    assert gains == sorted(gains, reverse=True) and len(gains) <= 3
    check_samples(report)
    check_code(report)
    check_requests(report)
    if report["against"]:
        assert list(report["against"]) == list(report), "both are of one schema"
        check(report["against"])


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        check(json.load(source))
