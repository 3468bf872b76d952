// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports on launches: tilec/_explain.py.

#ifndef TILEC_PYTHON_NATIVE_EXPLAIN_H
#define TILEC_PYTHON_NATIVE_EXPLAIN_H

#include "Object.h"

namespace tilec::python {

/// The number of an explanation of a call; `options` is a dict with the names of
/// tilec_explain_options. Null with a Python exception.
PyObject *explainCall(tilec_jit *jit, const tilec_call &call, PyObject *options);

/// False with a Python exception.
bool addExplainFunctions(PyObject *module);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_EXPLAIN_H
