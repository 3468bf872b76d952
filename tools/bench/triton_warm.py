# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fills Triton's cache from several processes, so that the measuring process only loads. A process whose compiler dies
# is replaced, and what killed it is not tried again.

import concurrent.futures
import multiprocessing
import os
import queue
import threading
from concurrent.futures.process import BrokenProcessPool

from tensor_case import Pointer, bind, source_of, steps_of


def silence():
    """What Triton's passes print about failures is of no use here."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def compile_one(kind, case, configuration, examples, folder):
    """Compiles for arguments of the right types; returns the error, or nothing."""
    try:
        import accuracy
        import peers_tensor
        import torch
        values = dict(case.values(), **case.values(configuration))
        arguments = {name: torch.empty(64, device="cuda", dtype=accuracy.TORCH[value.dtype])
                     if isinstance(value, Pointer) else value for name, value in values.items()}
        peers_tensor.call(kind, case, configuration, arguments, examples, folder).compile()
        return ""
    except Exception as error:  # Triton has many kinds
        return f"{type(error).__name__}: {error}"


def key(kind, case, configuration):
    """Equal for calls that Triton compiles once."""
    steps = steps_of(case, configuration) if kind == "triton" else [(case, configuration)]

    def one(step, own):
        kinds, fixed = bind(step.values(own), step.constants(own))
        return (kind, step.variant, source_of(step, own), sorted(kinds.items()), sorted(fixed.items()), own.warps,
                own.stages)
    return repr([one(*step) for step in steps])


class Warming:
    """Compiles jobs (kind, case, configuration) in the background."""

    def __init__(self, jobs, examples, folder, processes):
        self.errors = {}
        self.waiting = queue.SimpleQueue()
        for job in {key(*job): job for job in jobs}.values():
            self.waiting.put((job, examples, folder))
        self.threads = [threading.Thread(target=self.feed, daemon=True)
                        for _ in range(min(processes, self.waiting.qsize()))]
        for thread in self.threads:
            thread.start()

    def feed(self):
        pool = None
        while True:
            try:
                job, examples, folder = self.waiting.get_nowait()
            except queue.Empty:
                break
            pool = pool or concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), silence)
            try:
                error = pool.submit(compile_one, *job, examples, folder).result()
            except BrokenProcessPool:
                error, pool = "the compiler died", None
            if error:
                self.errors[key(*job)] = error
        if pool:
            pool.shutdown()

    def finish(self):
        """Waits for all; returns the errors by key."""
        for thread in self.threads:
            thread.join()
        return self.errors
