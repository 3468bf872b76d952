// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type of `kernel[grid]`.

#ifndef TILEC_PYTHON_NATIVE_LAUNCH_H
#define TILEC_PYTHON_NATIVE_LAUNCH_H

#include "Object.h"

#include <exception>
#include <new>

namespace tilec::python {

/// Adds the type `Launch` to the module; false with a Python exception.
bool addLaunchType(PyObject *module);

/// A kernel with its grid, which is called with the arguments: `subscript` of the kernel's type.
PyObject *makeLaunch(PyObject *kernel, PyObject *grid);

/// Calls `body`; what C++ throws becomes a Python exception.
template <typename Body> PyObject *guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_LAUNCH_H
