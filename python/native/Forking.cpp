// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Forking.h. The counts are guarded by the interpreter's lock. A thread may fork in a call of
// its own, from a function that the compiler calls; it does not wait for itself.

#include "Forking.h"

#include <chrono>
#include <thread>

using namespace tilec::python;

static constexpr std::chrono::seconds longestWait{10};

/// Calls under way, and threads that are about to fork.
static unsigned numCalls, numForking;
/// Of this thread.
static thread_local unsigned numOwnCalls;
static thread_local bool isForking;

/// Lets other threads run for a moment.
static void letOthersRun() {
  WithoutGil unlocked;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Preparing::Preparing() {
  while (numForking != 0 && numOwnCalls == 0 && !isForking)
    letOthersRun();
  ++numCalls;
  ++numOwnCalls;
}

Preparing::~Preparing() {
  --numCalls;
  --numOwnCalls;
}

/// before_fork()
static PyObject *beforeFork(PyObject *, PyObject *) {
  ++numForking;
  isForking = true;
  auto end = std::chrono::steady_clock::now() + longestWait;
  while (numCalls > numOwnCalls && std::chrono::steady_clock::now() < end)
    letOthersRun();
  Py_INCREF(Py_None);
  return Py_None;
}

/// after_fork(is child)
static PyObject *afterFork(PyObject *, PyObject *isChild) {
  isForking = false;
  --numForking;
  if (isChild == Py_True) {
    numForking = 0;
    numCalls = numOwnCalls;
  }
  Py_INCREF(Py_None);
  return Py_None;
}

bool tilec::python::addForkFunctions(PyObject *module) {
  static PyMethodDef functions[] = {
      {"before_fork", beforeFork, METH_NOARGS,
       "Waits for other threads' compilations and simulations."},
      {"after_fork", afterFork, METH_O, "(is child): lets them go on."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, functions) == 0;
}
