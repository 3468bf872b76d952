#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium, driven by its DevTools protocol over a pipe: for tests of pages, and for their pictures.

usage: browser.py PAGE.html PICTURE.png [--size 1280x900] [--dark] [--view ID] [--run SCRIPT] [--whole]
"""

from __future__ import annotations

import argparse
import base64
import collections
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium() -> str | None:
    return os.environ.get("TILEC_CHROMIUM") or next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One process with one tab; what its console said is in `messages`."""

    def __init__(self, program: str | None = None, timeout: float = 60):
        program = program or find_chromium()
        if not program:
            raise SystemExit(f"no Chromium: install it, or name it in TILEC_CHROMIUM (looked for {', '.join(NAMES)})")
        self.timeout = timeout
        self.profile = tempfile.TemporaryDirectory(prefix="tilec-browser-")
        self.messages: list[str] = []
        self.pending = b""
        self.events: collections.deque[dict] = collections.deque()
        self.last = 0
        # The browser reads commands from 3 and writes answers to 4; both end in a NUL.
        commands, self.output = os.pipe()
        self.input, answers = os.pipe()

        def place_pipes():
            moved = os.dup(commands), os.dup(answers)
            os.dup2(moved[0], 3)
            os.dup2(moved[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--disable-frame-rate-limit", "--disable-gpu-vsync", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_) -> None:
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        os.close(self.output)
        self.profile.cleanup()

    def send(self, method: str, **parameters) -> dict:
        """Gives a command and waits for its answer."""
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.output, json.dumps(command).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") != self.last:
                self.note(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']['message']}")
            else:
                return message["result"]

    def receive(self) -> dict:
        end = time.monotonic() + self.timeout
        while b"\0" not in self.pending:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.pending += part
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def note(self, message: dict) -> None:
        """Keeps events, and what they say to the console."""
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.messages.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.messages.append(f"console: {' '.join(str(value.get('value')) for value in parameters['args'])}")
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.messages.append(f"log: {parameters['entry']['text']}")
        elif method:
            self.events.append(message)

    def wait_for(self, method: str) -> None:
        while not any(event["method"] == method for event in self.events):
            self.note(self.receive())

    def open(self, path: pathlib.Path, fragment: str = "") -> None:
        self.events.clear()
        self.send("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.wait_for("Page.loadEventFired")
        self.settle()

    def evaluate(self, script: str):
        """The value of an expression, a promise's result included."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def settle(self) -> None:
        """Waits until what was asked for is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))")

    def resize(self, width: int, height: int = 900) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.settle()

    def prefer(self, scheme: str) -> None:
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def press(self, key: str) -> None:
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        code = codes[key] if key in codes else ord(key.upper()) if key.isalnum() else 0
        parameters = {"key": key, "windowsVirtualKeyCode": code}
        if len(key) == 1 or key == "Enter":
            parameters["text"] = "\r" if key == "Enter" else key
        self.send("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.send("Input.dispatchKeyEvent", type="keyUp", **parameters)
        self.settle()

    def point(self, selector: str, is_click: bool = False) -> None:
        """Moves the pointer to the middle of the first element that is selected, and may click there."""
        x, y = self.evaluate(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                             " return [box.x + Math.min(box.width / 2, 300), box.y + box.height / 2]; })()")
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if is_click:
            for kind in ("mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def picture(self, path: pathlib.Path, is_whole: bool = False) -> None:
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)["data"]
        path.write_bytes(base64.b64decode(data))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--size", default="1280x900")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--view", default="", help="what the link to the page names")
    parser.add_argument("--run", default="", help="a script to run before the picture is taken")
    parser.add_argument("--whole", action="store_true", help="the whole page, not what is in sight")
    given = parser.parse_args()
    with Browser() as browser:
        browser.resize(*map(int, given.size.split("x")))
        browser.prefer("dark" if given.dark else "light")
        browser.open(given.page, f"#{given.view}" if given.view else "")
        if given.run:
            browser.evaluate(given.run)
        if given.whole:
            width = int(given.size.split("x")[0])
            browser.resize(width, int(browser.evaluate("document.documentElement.scrollHeight")))
        browser.settle()
        browser.picture(given.picture)
        print(*browser.messages, sep="\n", end="")


if __name__ == "__main__":
    main()
