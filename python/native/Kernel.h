// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base class of kernels in Python: `kernel[grid](*args, **kwargs)`. What happens at every
// launch is done here; the methods of the derived class (tilec/jit.py) are called when something
// happens for the first time.

#ifndef TILEC_PYTHON_NATIVE_KERNEL_H
#define TILEC_PYTHON_NATIVE_KERNEL_H

#include "Object.h"

namespace tilec::python {

/// Adds the types `Kernel` and `Launch` to the module; false with a Python exception.
bool addKernelTypes(PyObject *module);

/// What `kernel[grid](*args, **kwargs)` does.
PyObject *runKernel(PyObject *kernel, PyObject *grid, PyObject *args, PyObject *kwargs);

/// How the values of this thread's launch are compiled, as JSON; null where there is none.
const char *describeLaunch();

/// Makes all kernels open their devices again at their next launch.
void forgetOpened();
/// Whether launches go through the Python method `_run_hooked`.
void setHooked(bool hooked);
/// Whether launches on the simulator are checked that do not say so themselves.
void setChecked(bool checked);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_KERNEL_H
