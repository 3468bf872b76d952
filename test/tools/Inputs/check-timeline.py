# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a timeline: check-timeline.py FILE.json or FILE.svg. Spans of a thread of the JSON are nested or follow each other, all
have a known kind and a place; the picture is well-formed. Prints how many threads there are of each role, and the kinds."""

import collections
import json
import sys
import xml.etree.ElementTree as xml

KINDS = {"kernel", "iteration", "load", "copy", "dot", "store", "copy-wait", "async-wait", "slot-wait", "turn-wait", "program-wait", "dot-wait", "barrier",
         "store-wait", "dot-flight"}


def check_thread(spans):
    open_ends = []
    for span in spans:
        begin, end = span["ts"], span["ts"] + span["dur"]
        assert begin <= end, span
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], f"{span} is not inside the span around it"
        open_ends.append(end)


def check_trace(path):
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    threads, names = collections.defaultdict(list), {}
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append(event)
            assert event["cat"] in KINDS, event
            assert event["cat"] == "kernel" or ".tile:" in event["args"]["file"], event
        elif event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
    assert set(threads) == set(names)
    for spans in threads.values():
        check_thread(spans)
    roles = collections.Counter(name.partition(": ")[2] or "warp" for name in names.values())
    kinds = collections.Counter(event["cat"] for spans in threads.values() for event in spans)
    for what, counter in (("threads", roles), ("spans", kinds)):
        for name in sorted(counter):
            print(f"{what}: {counter[name]} {name}")


def check_picture(path):
    root = xml.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == space + "svg", root.tag
    style = root.find(space + "style").text
    assert "prefers-color-scheme: dark" in style
    drawn = {rect.get("class") for rect in root.iter(space + "rect")}
    assert all(f".{kind} {{" in style for kind in drawn), drawn
    titles = [rect for rect in root.iter(space + "rect") if rect.find(space + "title") is not None]
    print(f"picture: {len(titles)} spans")


(check_picture if sys.argv[1].endswith(".svg") else check_trace)(sys.argv[1])
