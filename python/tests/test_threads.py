# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches by several threads and processes."""

import multiprocessing
import os
import signal
import sys
import threading

import numpy as np
import pytest

import tilec
import tilec.language as tl


def in_threads(count, function):
    """Runs `function(number)` in threads that begin together; raises what one of them raised."""
    barrier = threading.Barrier(count)
    errors = []

    def body(number):
        try:
            barrier.wait()
            function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(number, )) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def make_kernel(amount):

    @tilec.jit
    def plus(x, n, BLOCK: tl.constexpr):
        o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + o, tl.load(x + o, mask=o < n) + amount, mask=o < n)

    return plus


def test_threads_that_launch_a_kernel_first(tensor):
    plus = make_kernel(1234)
    arrays = [np.full(100, number, np.int32) for number in range(8)]
    before = len(tilec.report())
    in_threads(8, lambda number: plus[4](tensor(arrays[number]), 100, 32))
    for number, array in enumerate(arrays):
        np.testing.assert_array_equal(array, number + 1234)
    assert len(tilec.report()) - before == 1


def test_threads_with_kernels_of_their_own():
    kernels = [make_kernel(amount) for amount in range(8)]
    arrays = [np.zeros(100, np.float32 if number % 2 else np.int64) for number in range(8)]

    def launch(number):
        for _ in range(5):
            for kernel in kernels:
                kernel[4](arrays[number], 100, 32)

    in_threads(8, launch)
    for array in arrays:
        np.testing.assert_array_equal(array, 5 * sum(range(8)))


def test_faults_belong_to_their_thread():
    plus = make_kernel(1)

    @tilec.jit
    def faults(x, n):
        tl.device_print("thread", n)
        tl.store(x + 1000 + n, 1)

    def launch(number):
        for _ in range(3):
            if number % 2:
                plus[1](np.zeros(32, np.int32), 32, 32)
                continue
            with pytest.raises(tilec.KernelFault) as caught:
                faults[1](np.zeros(1, np.int32), 2 + number)
            assert len(caught.value.findings) == 1

    in_threads(8, launch)


def test_threads_that_print(capsys):

    @tilec.jit
    def prints(x, n):
        tl.device_print("thread", n)

    # The tensor says that it is on the simulator.
    x = np.zeros(1, np.int32)
    in_threads(8, lambda number: [prints[1](x, number + 2) for _ in range(5)])
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted([f"pid (0, 0, 0) idx () thread: {number + 2}" for number in range(8)] * 5)


def launch_in_child(plus, queue):
    x = np.zeros(100, np.int32)
    plus[4](x, 100, 32)
    make_kernel(3)[4](x, 100, 32)
    with tilec.check():
        plus[4](x, 100, 32)
    queue.put(x.tolist())


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_after_use():
    plus = make_kernel(2)
    x = np.zeros(100, np.int32)
    plus[4](x, 100, 32)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=launch_in_child, args=(plus, queue)) for _ in range(2)]
    for child in children:
        child.start()
    results = [queue.get(timeout=50) for _ in children]
    for child in children:
        child.join(50)
        assert child.exitcode == 0
    plus[4](x, 100, 32)
    assert results == [[7] * 100] * 2 and x.tolist() == [4] * 100


FORKS = '''
import faulthandler
import os
import sys
import threading
import time
import numpy as np
import tilec
import tilec.language as tl

faulthandler.enable()  # says where a child was that a signal ended

def make(amount):

    @tilec.jit
    def plus(x, n, BLOCK: tl.constexpr):
        o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + o, tl.load(x + o, mask=o < n) + amount, mask=o < n)

    return plus

def run(amount):
    x = np.zeros(100, np.int32)
    make(amount)[4](x, 100, 32)
    assert x[0] == amount

is_done = False

def compile_always(amount):
    while not is_done:
        run(amount)
        amount += 2

def wait_for(child):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "no end"

threads = [threading.Thread(target=compile_always, args=(number + 10, )) for number in range(2)]
for thread in threads:
    thread.start()
results = []
# The first ones come while the compiler is used for the first time.
for number in range(6):
    time.sleep(0.02 * number)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run(10)  # What another thread of the parent may have been compiling.
            run(1)
            status = 0
        finally:
            os._exit(status)
    results.append(wait_for(child))
is_done = True
for thread in threads:
    thread.join()
print(results)
sys.exit(any(results))
'''


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.parametrize("cached", [True, False])
def test_forks_while_threads_compile(tmp_path, run_python, cached):
    program = tmp_path / "forks.py"
    program.write_text(FORKS)
    environment = {"TILEC_CACHE_DIR": str(tmp_path / "cache"), "TILEC_NO_CACHE": "" if cached else "1"}
    assert run_python(program, env=environment).strip() == str([0] * 6)


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_locks_in_a_child():
    from tilec._locks import Lock

    lock, own = Lock(), Lock()
    held, release = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            release.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    with own:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            with lock, own:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    release.set()
    thread.join()
    with lock, own:
        pass


PROGRAM = '''
import sys
import numpy as np
import tilec
import tilec.language as tl

@tilec.jit
def plus(x, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + o, tl.load(x + o, mask=o < n) + 5, mask=o < n)

x = np.zeros(100, np.float32)
plus[4](x, 100, 32)
assert (x == 5).all()
print("cache" if tilec.report()[0].from_cache else "compiler")
'''


def test_processes_with_one_cache(tmp_path, run_python):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {"TILEC_CACHE_DIR": str(tmp_path / "cache")}
    results = []
    in_threads(2, lambda number: results.append(run_python(program, env=environment).strip()))
    assert sorted(results) == ["cache", "compiler"]
    moved = tmp_path / "moved.py"
    moved.write_text("\n\n" + PROGRAM)
    assert run_python(moved, env=environment).strip() == "cache"
    assert run_python(program, env={**environment, "TILEC_NO_CACHE": "1"}).strip() == "compiler"


RACE = '''
import sys
import threading
import numpy as np
import tilec
import tilec.language as tl

sys.setswitchinterval(1e-5)

@tilec.jit
def plus(x):
    tl.store(x, tl.load(x) + 1)

errors = []

def launch(number):
    x = np.zeros(1, np.int32)
    try:
        for _ in range(50):
            if number == 0:
                with tilec.check():
                    plus[1](x)
            else:
                plus[1](x)
    except Exception as error:
        errors.append(error)

threads = [threading.Thread(target=launch, args=(number, )) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(errors)
'''


def test_checking_mode_while_others_launch(tmp_path, run_python):
    program = tmp_path / "race.py"
    program.write_text(RACE)
    assert run_python(program).strip() == "[]"
