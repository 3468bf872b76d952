# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times launches on the GPU: L2 flushed before each, candidates interleaved, by events.

import torch


class Timer:
    def __init__(self, ahead=0):
        """`ahead`: cycles that the GPU idles before the first event, so that the host, slow as Python is, has queued
        the launch before the clock starts."""
        self.flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        self.ahead = ahead

    def sample(self, launch):
        """The events around one launch."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.flush.zero_()
        if self.ahead:
            torch.cuda._sleep(self.ahead)
        start.record()
        launch()
        end.record()
        return start, end

    def interleaved(self, candidates, repeats):
        """Lists of microseconds by name. On an H200 every other launch takes up to 0.6 us longer, whatever it is: of an
        even number of candidates, each round begins with another one, so that all have as many launches of both kinds."""
        samples = {name: [] for name in candidates}
        order = list(candidates)
        for _ in range(repeats):
            for name in order:
                samples[name].append(self.sample(candidates[name]))
            if len(order) % 2 == 0:
                order.append(order.pop(0))
        torch.cuda.synchronize()
        return {name: [start.elapsed_time(end) * 1000 for start, end in pairs] for name, pairs in samples.items()}
