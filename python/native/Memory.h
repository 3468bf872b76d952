// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the native module for memory of devices and for its order, and for tensors in
// capsules.

#ifndef TILEC_PYTHON_NATIVE_MEMORY_H
#define TILEC_PYTHON_NATIVE_MEMORY_H

#include "Object.h"

namespace tilec::python {

/// False with a Python exception.
bool addMemoryFunctions(PyObject *module);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_MEMORY_H
