// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forks of the process while threads compile or simulate. A child has the forking thread alone:
// what another one was initialising or held inside the library, or which module it was importing, a
// child would wait for without end, and what it was changing is not in order. So a fork waits for
// compilations and simulations that are under way, ten seconds at most, and new ones wait for the
// fork.

#ifndef TILEC_PYTHON_NATIVE_FORKING_H
#define TILEC_PYTHON_NATIVE_FORKING_H

#include "Object.h"

namespace tilec::python {

/// For the time of what a kernel needs done once. The interpreter's lock is held.
class Preparing {
public:
  Preparing();
  ~Preparing();
  Preparing(const Preparing &) = delete;
  Preparing &operator=(const Preparing &) = delete;
};

/// Lets other threads run Python during a call of the library that compiles or simulates.
class LibraryCall {
  Preparing preparing;
  WithoutGil unlocked;
};

/// For os.register_at_fork, in tilec/_locks.py. False with a Python exception.
bool addForkFunctions(PyObject *module);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_FORKING_H
