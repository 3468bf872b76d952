#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of 'tilec explain' from a report as JSON, without a build: for work on lib/Explain/Page.

usage: page.py REPORT.json [-o PAGE.html] [--against OTHER.json]
"""

from __future__ import annotations

import argparse
import html
import json
import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "lib/Explain/Page"


def join(folder: str) -> str:
    """The files of a folder, one after the other by their names."""
    return "".join(path.read_text() for path in sorted((PAGE / folder).iterdir()))


def write_page(report: str, title: str) -> str:
    """What writePage of lib/Explain/Page.cpp makes."""
    parts = {"title": html.escape(title), "style": join("css"), "script": join("js"),
             "data": report.strip().replace("<", "\\u003c")}
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
    output.write_text(write_page(text, report["kernel"]["name"]))


if __name__ == "__main__":
    main()
