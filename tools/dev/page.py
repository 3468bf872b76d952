#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of 'tilec explain' from a report as JSON, without a build: for work on lib/Explain/Page.

usage: page.py REPORT.json [-o PAGE.html] [--against OTHER.json]

A page of measurements is made from what its button for JSON saves.
"""

from __future__ import annotations

import argparse
import html
import json
import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "lib/Explain/Page"


def join(folder: str, ending: str) -> str:
    """The files of a folder, one after the other by their names."""
    return "".join(path.read_text() for path in sorted((PAGE / folder).glob(f"*.{ending}")))


def write_page(report: str, title: str, tool: str) -> str:
    """What writePage of lib/Explain/Page.cpp makes."""
    kind = "explain" if tool == "explain" else "measured"
    parts = {"title": html.escape(title), "tool": tool, "style": join("css", "css"),
             "script": join("js", "js") + join(f"js/{kind}", "js"), "data": report.strip().replace("<", "\\u003c")}
    pieces = (PAGE / "page.html").read_text().split("{{")
    page = pieces[0]
    for piece in pieces[1:]:
        name, rest = piece.split("}}", 1)
        page += parts[name] + rest
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path, help="another report, to compare with")
    given = parser.parse_args()
    text = given.report.read_text()
    report = json.loads(text)
    if given.against:
        report["against"] = json.loads(given.against.read_text())
        text = json.dumps(report)
    output = given.output or given.report.with_suffix(".html")
    if "cases" in report:
        kernels = list(dict.fromkeys(case["kernel"] for case in report["cases"]))
        files = [pathlib.Path(file["name"]).name for file in report["files"]]
        page = write_page(text, ", ".join(files if len(kernels) > 3 else kernels), "bench")
    else:
        page = write_page(text, report["kernel"]["name"], "explain")
    output.write_text(page)


if __name__ == "__main__":
    main()
