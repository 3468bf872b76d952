# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the pages of many kernels and opens them in a headless Chromium.

usage: check-pages.py FOLDER [--only NAME]

The kernels are examples at the sizes of their own first test, the slow ones of test/execution/explain, one that faults,
one beside another configuration, one beside Triton's code, one with samples of a GPU, and two of the size that they are used with. Pages of
measurements are sweeps and a search on the simulator, and those of saved results. Each page has to be complete without
a network, at 1280 and 400 pixels, in light and dark colours, and with the keyboard alone; the console has to stay empty.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools/dev"))
sys.path.insert(0, str(ROOT / "test/tools/Inputs"))
from browser import Browser  # noqa: E402
fake_samples = importlib.import_module("fake-samples")

EXAMPLES = {"vector-add": "01-vector-add", "softmax-wide": "05-softmax", "layer-norm": "06-layer-norm",
            "transpose": "10-transpose-copy", "histogram": "14-histogram-atomics", "matmul": "40-matmul",
            "matmul-descriptors": "43-matmul-descriptors", "attention": "45-attention-forward",
            "w4a16": "56-w4a16-matmul"}
LARGE_MATMUL = """--kernel matmul --num-warps 8 --grid "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)" --arg a_ptr=randn:f16[1024x1024]
    --arg b_ptr=randn:f16[1024x1024] --arg c_ptr=empty:f16[1024x1024] --arg M=1024 --arg N=1024 --arg K=1024
    --arg stride_am=1024 --arg stride_ak=1 --arg stride_bk=1024 --arg stride_bn=1 --arg stride_cm=1024 --arg stride_cn=1
    --const BLOCK_M=128 --const BLOCK_N=128 --const BLOCK_K=64 --const GROUP_M=8 --const ACC=tl.float32
    --const "ACTIVATION='leaky_relu'" """
LARGE_ATTENTION = """--num-warps 8 --grid "cdiv(seq_len, BLOCK_M), 16" --arg q_ptr=randn:f16[16x1024x64]
    --arg k_ptr=randn:f16[16x1024x64] --arg v_ptr=randn:f16[16x1024x64] --arg out_ptr=empty:f16[16x1024x64]
    --arg lse_ptr=empty:f32[16x1024] --arg seq_len=1024 --arg scale=0.125 --const HEAD_DIM=64 --const BLOCK_M=128
    --const BLOCK_N=64 --const CAUSAL=True"""
FAULT = """--kernel add_unchecked --grid 2 --arg x_ptr=randn:f32[1024] --arg y_ptr=randn:f32[1024]
    --arg out_ptr=empty:f32[1024] --const BLOCK=1024"""
MASKED = """--kernel add_masked --grid cdiv(n,BLOCK) --arg x_ptr=randn:f32[10000] --arg y_ptr=randn:f32[10000]
    --arg out_ptr=empty:f32[10000] --arg n=10000 --const BLOCK=1024"""

SWEEP = """--device sim --predict H200 --grid 16 --sweep N=256,1024,4096 --arg x_ptr=randn:f32[16x{N}]
    --arg y_ptr=empty:f32[16x{N}] --arg x_stride={N} --arg y_stride={N} --arg n={N} --const BLOCK={next_power_of_2(N)}
    --num-warps 4,8"""
COUNTERS = """--device sim --kernel add_unchecked,add_masked --grid cdiv(x_ptr.size,BLOCK) --sweep N=2048,4096
    --arg x_ptr=ones:f16[{N}] --arg y_ptr=ones:f16[{N}] --arg out_ptr=empty:f16[{N}] --arg n={N} --const BLOCK=512,1024"""
SEARCH = """--device sim --grid cdiv(n,BLOCK) --arg x_ptr=rand:f32[1000] --arg n=1000 --const BLOCK=32,64,256,1024
    --num-warps 1,8 --predict 5"""


def words_of_test(path: pathlib.Path) -> list[str]:
    """What the first RUN line of a kernel's file passes to tilec."""
    line = re.search(r"# RUN: tilec (?:run|explain) %s (.*?)(?:\s*\|.*)?$", path.read_text(), re.MULTILINE)[1]
    words = shlex.split(line)
    for option, count in (("--device", 2), ("--check", 1)):
        if option in words:
            at = words.index(option)
            del words[at:at + count]
    return words


def measurements() -> dict[str, list[str]]:
    """The words of 'tilec' for pages of measurements by the name of the page."""
    results, published = ROOT / "test/tools/Inputs/measured", ROOT / "docs/benchmarks/h200"

    def shown(command: str, *paths: pathlib.Path) -> list[str]:
        return [command, *(word for path in paths for word in ("--from", str(path)))]

    return {"sweep": ["bench", str(ROOT / "examples/05-softmax.tile"), *shlex.split(SWEEP)],
            "counters": ["bench", str(ROOT / "examples/01-vector-add.tile"), *shlex.split(COUNTERS)],
            "search": ["tune", str(ROOT / "test/tools/Inputs/tune-predicted.tile"), *shlex.split(SEARCH)],
            "timings": shown("bench", results / "bench.json", results / "peers.json"),
            "configurations": shown("tune", results / "tuning.json"),
            "table": shown("bench", results / "matmul-performance.csv"),
            "comparison": shown("bench", published / "compare.json"),
            "tensor-comparison": shown("bench", published / "tensor.json")}


def launches() -> dict[str, list[str]]:
    """The words of 'tilec explain' by the name of the page."""
    found = {}
    for name, file in EXAMPLES.items():
        path = ROOT / f"examples/{file}.tile"
        found[name] = [str(path), *words_of_test(path)]
    narrow = [re.sub(r"\b781\b", "33", word).replace("BLOCK=1024", "BLOCK=64") for word in found["softmax-wide"]]
    found["softmax-narrow"] = narrow
    found["compare"] = [*found["softmax-wide"], "--against", "BLOCK=2048, num_warps=8"]
    add = ROOT / "examples/01-vector-add.tile"
    found["compare-triton"] = [str(add), *shlex.split(MASKED), "--against",
                               f"triton={ROOT / 'test/tools/Inputs/triton/add_masked'}"]
    gelu = ROOT / "examples/04-gelu.tile"
    found["samples"] = [str(gelu), *words_of_test(gelu)]
    for path in sorted((ROOT / "test/execution/explain").glob("*.tile")):
        found[path.stem] = [str(path), *words_of_test(path)]
    found["fault"] = [str(ROOT / "examples/01-vector-add.tile"), *shlex.split(FAULT)]
    found["matmul-large"] = [str(ROOT / "examples/40-matmul.tile"), *shlex.split(LARGE_MATMUL)]
    found["attention-large"] = [str(ROOT / "examples/45-attention-forward.tile"), *shlex.split(LARGE_ATTENTION)]
    return found


def make_page(name: str, words: list[str], folder: pathlib.Path) -> pathlib.Path:
    path, began = folder / f"{name}.html", time.monotonic()
    if name in measurements():
        done = subprocess.run(["tilec", *words, "--html", str(path)], capture_output=True, text=True, check=False)
    elif name == "samples":
        done = fake_samples.explain(folder / "fake", [*words, "-o", str(path)], capture_output=True, text=True)
    else:
        done = subprocess.run(["tilec", "explain", *words, "-o", str(path)], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not path.exists():
        raise SystemExit(f"{name}: {' '.join(map(shlex.quote, words))}\n{done.stderr}")
    print(f"{name}: {time.monotonic() - began:.1f} s, {path.stat().st_size} bytes")
    return path


def check_text(path: pathlib.Path) -> list[str]:
    """That the page loads nothing, and that its data cannot end its script."""
    text, problems = path.read_text(), []
    data = re.search(r'<script type="application/json" id="report">\n(.*?)\n</script>', text, re.DOTALL)[1]
    own = text.replace(data, "")
    if "<" in data:
        problems.append("the data has a '<'")
    if own.count("<script") != 2 or own.count("</script") != 2:
        problems.append("there are not two scripts")
    for found in re.findall(r"""(?:\bsrc|\bhref|\baction)=["']?(?!#|data:|\$)[^"'\s>]+|\burl\([^)]*\)|@import|\bfetch\(|\bimport\(|XMLHttpRequest|sendBeacon|\{\{""", own):
        problems.append(f"the page may load '{found}'")
    if len(text) > 2_000_000:
        problems.append(f"{len(text)} bytes are more than 2 MB")
    return problems


def expecting(browser: Browser, problems: list[str]):
    """A function that adds what does not hold on the page to the problems."""
    def expect(what: str, condition: str) -> None:
        if not browser.evaluate(f"Boolean({condition})"):
            problems.append(f"keyboard: {what}")
    return expect


def check_keys(browser: Browser) -> list[str]:
    """The keyboard alone reaches and moves what there is."""
    problems = []
    expect = expecting(browser, problems)
    browser.press("Tab")
    expect("the first Tab reaches the link to the report", "document.activeElement.matches('.skip') && document.activeElement.getBoundingClientRect().top >= 0")
    browser.press("Enter")
    expect("the link goes to the report", "document.activeElement.id === 'main'")
    for _ in range(12):
        browser.press("Tab")
        expect("a focused element is seen", "(() => { const at = document.activeElement, style = getComputedStyle(at);"
               " return at === document.body || (at.getClientRects().length > 0 && style.outlineStyle !== 'none' && at.matches(':focus-visible')); })()")
    browser.press("?")
    expect("'?' lists the keys", "document.querySelector('dialog').open")
    browser.press("Escape")
    expect("Escape closes the list", "!document.querySelector('dialog').open")
    browser.press("/")
    expect("'/' searches the source", "document.activeElement.id === 'source-search' && !document.getElementById('source').hidden")
    for letter in "tl":
        browser.press(letter)
    browser.press("Enter")
    expect("a search finds lines", "document.querySelectorAll('#source .row.found').length > 0 && document.querySelector('#source .row.found[aria-selected=\"true\"]')")
    browser.press("Escape")
    browser.evaluate("document.getElementById('source-text').focus()")
    before = browser.evaluate("document.getElementById('source-text').getAttribute('aria-activedescendant')")
    browser.press("ArrowDown")
    expect("an arrow key chooses the next line", f"document.getElementById('source-text').getAttribute('aria-activedescendant') !== '{before}'")
    browser.press("Enter")
    browser.press("ArrowDown")
    expect("Enter goes to the stage, whose lines arrow keys choose", "document.activeElement.id === 'stage-text' && document.querySelector('.stage-row.cursor')")
    browser.evaluate("document.getElementById('tab-source').focus()")
    browser.press("ArrowRight")
    expect("an arrow key opens the next view", "!document.getElementById('layouts').hidden && document.activeElement.id === 'tab-layouts'")
    browser.press("1")
    expect("a number opens a view", "!document.getElementById('summary').hidden")
    browser.press("t")
    expect("'t' changes the colours", "document.documentElement.dataset.theme === 'dark'")
    browser.evaluate("localStorage.clear(); delete document.documentElement.dataset.theme")
    return problems


def check_measured_keys(browser: Browser) -> list[str]:
    """Views, choices, lines and tables of a page of measurements by the keyboard alone."""
    problems = []
    expect = expecting(browser, problems)
    browser.press("2")
    expect("a number opens a view", "!document.getElementById('sizes').hidden")
    browser.evaluate("document.querySelector('#sizes [role=radio][aria-checked=true]').focus()")
    before = browser.evaluate("document.querySelector('#sizes .series-key').parentElement.parentElement.textContent")
    browser.press("ArrowRight")
    expect("an arrow key chooses what lines stand for", f"document.querySelector('#sizes .series-key').parentElement.parentElement.textContent !== {before!r}")
    expect("the choice keeps the focus", "document.activeElement.matches('#sizes [role=radio][aria-checked=true]')")
    browser.evaluate("document.querySelector('#sizes .series-key').focus()")
    lines = browser.evaluate("document.querySelectorAll('#sizes .line-of').length")
    browser.press("Enter")
    expect("a line is switched off", f"document.querySelectorAll('#sizes .line-of').length === {lines} - 1")
    browser.press("3")
    browser.evaluate("[...document.querySelectorAll('#ranked .sort')].find((button) => button.textContent.startsWith('Time')).focus()")
    for way in ("ascending", "descending"):
        browser.press("Enter")
        expect(f"rows are sorted, {way}", f"document.activeElement.closest('th').ariaSort === '{way}'")
    browser.press("4")
    browser.evaluate("[...document.querySelectorAll('#timings .link')].at(-1).focus()")
    before = browser.evaluate("document.querySelector('#distribution .hint').textContent")
    browser.press("Enter")
    expect("timings of another configuration", f"document.querySelector('#distribution .hint').textContent !== {before!r}")
    browser.press("t")
    expect("'t' changes the colours", "document.documentElement.dataset.theme === 'dark'")
    browser.evaluate("localStorage.clear(); delete document.documentElement.dataset.theme")
    return problems


def check_compared_keys(browser: Browser) -> list[str]:
    """A line of one stage marks what comes from the same line in the other one."""
    problems = []
    expect = expecting(browser, problems)
    browser.press("6")
    expect("a number opens a view", "!document.getElementById('compare').hidden")
    browser.evaluate("document.querySelector('[aria-label=\"Stage of other\"] [data-value=llvm]').click()")
    browser.evaluate("document.getElementById('compared-this').focus()")
    for _ in range(8):
        browser.press("ArrowDown")
    browser.settle()
    expect("an arrow key chooses a line", "document.querySelector('#compared-this .stage-row.cursor')")
    marked = "document.querySelectorAll('#compared-{} .stage-row.selected').length > 0"
    expect("its line is marked in both stages", f"{marked.format('this')} && {marked.format('other')}")
    return problems


def check_request_keys(browser: Browser) -> list[str]:
    """Lanes of a request by the keyboard alone."""
    problems = []
    expect = expecting(browser, problems)
    browser.press("3")
    browser.settle()
    expect("a request is drawn", "document.querySelectorAll('#layouts .request .sector.taken').length > 0")
    browser.evaluate("document.querySelector('#layouts .request').focus()")
    for _ in range(2):
        browser.press("ArrowRight")
    expect("arrow keys read lanes", "document.getElementById('status').textContent.startsWith('Lane 1: ')")
    expect("the bytes of a lane are marked", "document.querySelectorAll('#layouts .lane-bytes.chosen').length > 0")
    expect("a lane is told", "!document.getElementById('tip').hidden")
    return problems


def check_pointer(browser: Browser) -> list[str]:
    """Lines of the source and of a stage show each other."""
    problems = []
    browser.evaluate("document.querySelector('#hot-lines .place').click()")
    browser.settle()
    browser.point("#source .row[aria-selected='true'] code")
    if not browser.evaluate("document.querySelectorAll('.stage-row.hovered').length > 0 && document.querySelectorAll('.stage-row.selected').length > 0"):
        problems.append("pointer: a line of the source shows no line of the stage")
    browser.evaluate("document.querySelector('[aria-label=Stage] [data-value=ptx]').click()")
    browser.settle()

    def row_in_sight(selector: str) -> str:
        # Rows above and below what is in sight exist, too.
        name = browser.evaluate(f"[...document.querySelectorAll('{selector}')].find((row) => {{ const box = row.closest('.code');"
                                " return row.offsetTop >= box.scrollTop && row.offsetTop + 20 < box.scrollTop + box.clientHeight; })?.id")
        return f"#{name} code"

    browser.point(row_in_sight(".stage-row.selected"))
    if not browser.evaluate("document.querySelectorAll('#source .row.hovered').length > 0"):
        problems.append("pointer: a line of the stage shows no line of the source")
    browser.point(row_in_sight(".stage-row.linked:not(.selected)"), is_click=True)
    if not browser.evaluate("document.querySelector('.stage-row.cursor').classList.contains('selected')"):
        problems.append("pointer: a click on a line of the stage does not choose its line of the source")
    return problems


def check_page(browser: Browser, path: pathlib.Path, script: str) -> list[str]:
    problems = check_text(path)
    ways = [("dark", 1280), ("light", 400)]
    if path.stem.endswith("large"):
        ways += [("light", 1280), ("dark", 400)]
    for scheme, width in ways:
        browser.prefer(scheme)
        browser.resize(width, 900)
        browser.open(path)
        problems += [f"{scheme}, {width} pixels: {problem}" for problem in browser.evaluate(script)]
        if not browser.evaluate("document.documentElement.dataset.ready"):
            problems.append("the page does not start")
        ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
        if (int(re.search(r"\d+", ground)[0]) < 128) != (scheme == "dark"):
            problems.append(f"the ground is {ground} in {scheme} colours")
    if path.stem.endswith("large") or path.stem == "fault":
        browser.prefer("light")
        browser.resize(1280, 900)
        browser.open(path)
        problems += check_keys(browser)
        problems += check_pointer(browser)
    if path.stem.startswith("compare"):
        browser.prefer("light")
        browser.resize(1280, 900)
        browser.open(path)
        problems += check_compared_keys(browser)
    if path.stem == "transpose":
        browser.prefer("light")
        browser.resize(1280, 900)
        browser.open(path)
        problems += check_request_keys(browser)
    if path.stem == "timings":
        browser.prefer("light")
        browser.resize(1280, 900)
        browser.open(path)
        problems += check_measured_keys(browser)
    problems += browser.messages
    browser.messages.clear()
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", help="a part of the names of the pages that are made")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    everything = {**launches(), **measurements()}
    chosen = {name: words for name, words in everything.items() if not given.only or given.only in name}
    script = pathlib.Path(__file__).with_name("page-checks.js").read_text()
    count = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool, Browser() as browser:
        # The first pages are looked at while the others are made.
        for path in pool.map(lambda item: make_page(*item, given.folder), chosen.items()):
            problems = check_page(browser, path, script)
            for problem in dict.fromkeys(problems):
                print(f"{path.stem}: {problem}")
            count += len(problems)
    print(f"{len(chosen)} pages, {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
