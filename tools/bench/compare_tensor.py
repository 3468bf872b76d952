#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times tilec's tensor-core kernels beside cuBLAS, cuDNN and Triton on one GPU, in one run. Every candidate is checked
# against float64, then sampled; each compiler's fastest few are measured against each other: L2 flushed before every
# launch, launches interleaved, medians. Small and ragged sizes are checked, too.
#
#   python3 compare_tensor.py --library PATH/lib/libtilec.so --examples PATH/examples [--out result.json]
#   python3 compare_tensor.py --cubins FOLDER --examples PATH/examples ...      (made by compile_cubins.py)
#
# Needs PyTorch and Triton.

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time

START = time.monotonic()
FACTS = ("registers", "spillBytes", "dynamicSharedBytes")  # what is reported of a kernel


class Lost(Exception):
    """The GPU cannot be used any more by this process."""


class Bench:
    def __init__(self, options):
        import cubins
        import timing
        self.options = options
        self.cubins = cubins.Cubins(options.examples, options.library, options.cubins)
        self.timer = timing.Timer(ahead=200_000)
        self.folder = tempfile.mkdtemp(prefix="peers")
        self.peer_errors = {}
        self.rows, self.failures, self.peer_failures, self.skipped, self.checks = [], [], [], [], 0
        self.compile_time = None

    def fail(self, case, name, why):
        """Notes what went wrong; with a peer, that is no failure of ours."""
        peer = name.startswith("triton") or name in case.libraries
        (self.peer_failures if peer else self.failures).append(
            dict(kernel=case.name, size=case.size, candidate=name, why=why))
        print(f"{'peer failed' if peer else 'FAILED'} {case.name} {case.size} {name}: {why.splitlines()[:1]}",
              flush=True)

    def settle(self, what):
        """Waits for the GPU, but not for ever: a kernel that waits for itself must not take the run with it."""
        import torch
        event = torch.cuda.Event()
        try:
            event.record()
            deadline = time.monotonic() + 20
            while not event.query():
                if time.monotonic() > deadline:
                    raise Lost(f"{what} does not end")
                time.sleep(5e-5)
        except RuntimeError as error:
            raise Lost(f"{what}: {error}") from error

    def ours(self, case, configuration, data, target="sm_90a"):
        """A launch and what is known about the kernel."""
        from tensor_case import build_of, steps_of, with_tensors
        launches, known = [], []
        for step, own in steps_of(case, configuration):
            kernel = self.cubins.kernel(build_of(step, own, target))
            values = with_tensors(step.values(own), data.arguments)
            launches.append(kernel.launcher(step.grid(own), **values))
            known.append(kernel.metadata)

        def launch():
            for one in launches:
                one()
        return launch, {fact: max(metadata[fact] for metadata in known) for fact in FACTS}

    def check(self, case, data, name, launch):
        """The error of one launch's results, or None where it could not be launched."""
        for output in data.outputs:
            output.poison()
        try:
            result = launch()
        except Exception as error:  # Triton has many kinds
            self.settle(name)
            self.fail(case, name, str(error))
            return None
        self.settle(f"{case.name} {case.size} {name}")
        error = data.error(result)
        if error > case.tolerance:
            self.fail(case, name, f"error {error:.2e} above {case.tolerance:.0e}")
        elif not all(output.intact() for output in data.outputs):
            self.fail(case, name, "wrote outside its output")
            return math.inf
        return error

    def only_check(self, case):
        from tensor_case import HOPPER, ours
        data = case.data()
        for configuration in ours(case):
            self.checks += 1
            try:
                launch, _ = self.ours(case, configuration, data, self.options.target)
            except RuntimeError as error:
                # Other processors have less shared memory.
                if self.options.target == HOPPER or "bytes of shared memory" not in str(error):
                    self.fail(case, configuration.label, str(error))
                continue
            self.check(case, data, configuration.label, launch)

    def candidates(self, case, data):
        """Kind, name, and a function that gives the launch and what is known about the kernel."""
        import peers_tensor
        import triton_warm
        from tensor_case import ours
        for name, launch in data.library().items():
            yield "library", name, lambda launch=launch: (launch, {})
        for configuration in ours(case):
            kind = "tilec" if configuration in case.configurations else "tilec-other"
            yield kind, f"tilec_{configuration.label}", (
                lambda configuration=configuration: self.ours(case, configuration, data))
        for kind, configuration in peers_tensor.calls(case) if not self.options.no_triton else ():
            if triton_warm.key(kind, case, configuration) in self.peer_errors:
                continue
            yield kind, f"{kind}_{configuration.label}", (
                lambda kind=kind, configuration=configuration:
                (peers_tensor.call(kind, case, configuration, data.arguments, self.options.examples,
                                   self.folder).launch, {}))

    def tune(self, case, data):
        """Sampled microseconds, launches, errors and facts by name, and names by kind; wrong candidates are left out.
        One sample is enough of those that take thrice the best; the others are sampled in turn, so that a clock that
        moves meets them all."""
        sampled, launches, errors, facts, kinds = {}, {}, {}, {}, {}
        for kind, name, make in self.candidates(case, data):
            try:
                launch, known = make()
            except Exception as error:
                self.fail(case, name, str(error))
                continue
            error = self.check(case, data, name, launch)
            if error is None:
                continue
            errors[name] = error if math.isfinite(error) else "infinite"
            if known:
                facts[name] = known
            # Peers are what they are: their errors are shown, but keep out only what is plainly wrong.
            if error > case.tolerance * (1 if kind.startswith("tilec") else 10):
                continue
            sampled[name] = self.timer.interleaved({name: launch}, 1)[name][0]
            launches[name] = launch
            kinds.setdefault(kind, []).append(name)
        best = min(sampled.values(), default=0)
        near = {name: launch for name, launch in launches.items() if sampled[name] <= 3 * best}
        for name, samples in self.timer.interleaved(near, self.options.samples).items():
            sampled[name] = statistics.median(samples)
        return sampled, launches, errors, facts, kinds

    def measure(self, case):
        data = case.data()
        sampled, launches, errors, facts, kinds = self.tune(case, data)
        finalists = [name for names in kinds.values()
                     for name in sorted(names, key=sampled.get)[:self.options.finalists]]
        if not any(kind.startswith("tilec") for kind in kinds):
            return
        micros = {name: statistics.median(samples) for name, samples in
                  self.timer.interleaved({n: launches[n] for n in finalists}, self.options.repeats).items()}
        best = {kind: min((n for n in names if n in micros), key=micros.get) for kind, names in kinds.items()}
        took = {kind: micros[name] for kind, name in best.items()}
        fastest = min(t for kind, t in took.items() if kind.startswith("tilec"))
        peers = {"better_peer": [k for k in took if not k.startswith("tilec")], "same_text": ["triton"],
                 "library": ["library"], "triton": [k for k in took if k.startswith("triton")]}
        ratios = {what: round(min(took[k] for k in among if k in took)
                              / (took["tilec"] if what == "same_text" else fastest), 4)
                  for what, among in peers.items()
                  if any(k in took for k in among) and (what != "same_text" or "tilec" in took)}
        missed = {what: goal for what, goal in case.goals.items() if what in ratios and ratios[what] < goal}
        self.rows.append(dict(kernel=case.name, size=case.size, flops=case.flops, microseconds=micros, best=best,
                              tflops={k: round(case.flops / t / 1e6, 1) for k, t in took.items()}, ratios=ratios,
                              goals=case.goals, missed=missed, sampled=sampled, errors=errors, facts=facts))
        streams = getattr(case, "bytes", 0)  # of a kernel that is bound by what it reads
        shown = "  ".join(f"{best[k]} {t:.1f}us {streams / t / 1e3 if streams else case.flops / t / 1e6:.0f}"
                          for k, t in took.items())
        wanted = "".join(f" MISSED {what} {goal}" for what, goal in missed.items())
        print(f"{case.name} {case.size}: " + " ".join(f"{k} x{v:.3f}" for k, v in ratios.items())
              + f"{wanted}  [{shown} {'GB' if streams else 'TFLOP'}/s]", flush=True)

    def left(self):
        """Seconds of the budget."""
        return self.options.budget - (time.monotonic() - START)

    def run(self):
        import torch

        import peers_tensor
        import tensor_cases
        import triton_warm
        options = self.options
        timed = [] if options.check_only else tensor_cases.timed(options.filter, options.exclude)
        timed = tensor_cases.keep_likely(timed, options.likely)
        checked = [] if options.time_only else tensor_cases.checked(options.filter, options.exclude)
        jobs = [] if options.no_triton else [(kind, case, c) for case in timed for kind, c in peers_tensor.calls(case)]
        warming = triton_warm.Warming(jobs, options.examples, self.folder, options.jobs)
        self.cubins.prepare(tensor_cases.builds(timed) + tensor_cases.builds(checked, options.target), options.jobs)
        print(f"{time.monotonic() - START:.0f} s: kernels are compiled", flush=True)
        for case in checked:
            self.only_check(case)
        print(f"{time.monotonic() - START:.0f} s: {self.checks} small and ragged launches checked, "
              f"{len(self.failures)} failures", flush=True)
        self.peer_errors = warming.finish()
        for key, error in self.peer_errors.items():
            print(f"Triton cannot compile {key}: {error.splitlines()[:1]}", flush=True)
        print(f"{time.monotonic() - START:.0f} s: Triton's kernels are compiled", flush=True)
        for case in timed:
            if self.left() < (25 if options.compile_repeats else 0):
                self.skipped.append(f"{case.name} {case.size}")
                continue
            self.measure(case)
            torch.cuda.empty_cache()
            self.write()
        if options.compile_repeats and options.library:
            import compile_time
            self.compile_time = compile_time.measure("matmul", options.library, options.examples,
                                                     options.compile_repeats)

    def means(self):
        """Geometric means of the ratios, by kernel."""
        means = {}
        for kernel in dict.fromkeys(row["kernel"] for row in self.rows):
            rows = [row for row in self.rows if row["kernel"] == kernel]
            for what in ("better_peer", "same_text", "library", "triton"):
                values = [row["ratios"][what] for row in rows if what in row["ratios"]]
                if values:
                    mean = math.exp(sum(map(math.log, values)) / len(values))
                    means.setdefault(kernel, {})[what] = dict(mean=round(mean, 4), least=min(values),
                                                             cases=len(values))
        return means

    def write(self):
        import picture
        import torch
        import triton
        if not self.options.out:
            return
        device = torch.cuda.get_device_name()
        with open(self.options.out, "w") as file:
            json.dump(dict(device=device, torch=torch.__version__, cuda=torch.version.cuda,
                           cudnn=torch.backends.cudnn.version(), triton=triton.__version__,
                           repeats=self.options.repeats, seed=self.options.seed, means=self.means(),
                           compile_time=self.compile_time, checked_only=self.checks, failures=self.failures,
                           peer_failures=self.peer_failures, skipped=self.skipped, rows=self.rows), file, indent=1)
        stem = os.path.splitext(self.options.out)[0]
        for what, peer, path in (("better_peer", "the better of the library and Triton", stem + ".svg"),
                                 ("same_text", "Triton on the same text", stem + "-same-text.svg")):
            bars = [(f"{r['kernel']} {r['size']}", r["ratios"][what]) for r in self.rows if what in r["ratios"]]
            if bars:
                with open(path, "w") as file:
                    file.write(picture.bars(f"tilec over {peer}, {device} (above 1: tilec is faster)", bars))

    def report(self):
        for kernel, means in self.means().items():
            for what, value in means.items():
                print(f"{kernel} over {what}: geometric mean {value['mean']:.3f}, least {value['least']:.3f}, "
                      f"{value['cases']} cases")
        if self.compile_time:
            ratio = self.compile_time["tilec_over_triton"]["compile"]
            print(f"cold compile of matmul to cubin: {ratio:.3f} of Triton's")
        missed = [f"{r['kernel']} {r['size']}" for r in self.rows if r["missed"]]
        print(f"{len(missed)} cases under their goal: {', '.join(missed)}")
        if self.skipped:
            print(f"not measured, no time left: {', '.join(self.skipped)}")
        print(f"{len(self.failures)} failures, {time.monotonic() - START:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", help="libtilec.so; needed for what is not among the cubins")
    parser.add_argument("--cubins", help="folder of cubins; with --library, new ones are put there")
    parser.add_argument("--examples", required=True)
    parser.add_argument("--out", help="JSON, written after each case; two pictures go beside it")
    parser.add_argument("--filter", default="", help="texts, separated by commas, one of which a case contains")
    parser.add_argument("--exclude", default="", help="texts, separated by commas, none of which a case contains")
    parser.add_argument("--likely", default="", metavar="FILE,...:MOST",
                        help="of the timed cases the configurations that were the fastest in earlier results")
    parser.add_argument("--budget", type=float, default=200, help="seconds; what comes later is skipped")
    parser.add_argument("--repeats", type=int, default=40, help="launches of a finalist")
    parser.add_argument("--samples", type=int, default=4, help="launches of a candidate")
    parser.add_argument("--finalists", type=int, default=3, help="of each compiler")
    parser.add_argument("--compile-repeats", type=int, default=2, help="cold compilations; 0 for none")
    parser.add_argument("--check-only", action="store_true", help="only the small and ragged sizes")
    parser.add_argument("--time-only", action="store_true", help="without the small and ragged sizes")
    parser.add_argument("--target", default="sm_90a",
                        help="of the cases that are only checked; the driver compiles another one's PTX")
    parser.add_argument("--no-triton", action="store_true")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not options.library and not options.cubins:
        parser.error("--library or --cubins is needed")
    import torch
    torch.manual_seed(options.seed)
    bench = Bench(options)
    lost = ""
    try:
        bench.run()
    except Lost as error:
        lost = str(error)
        bench.failures.append(dict(kernel="", size="", candidate="", why=lost))
    bench.write()
    bench.report()
    if lost:
        print(f"stopped: {lost}", flush=True)
        sys.stdout.flush()
        os._exit(2)  # a kernel may still run
    sys.exit(bool(bench.failures) or not (bench.rows or bench.checks))


if __name__ == "__main__":
    main()
