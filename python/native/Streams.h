// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream of a launch.

#ifndef TILEC_PYTHON_NATIVE_STREAMS_H
#define TILEC_PYTHON_NATIVE_STREAMS_H

#include "Object.h"

namespace tilec::python {

class Arguments;

/// The stream of a launch of `self`: that of a framework with a function for it among the tensors',
/// else what Python says. False with a Python exception.
bool findStream(PyObject *self, const Arguments &arguments, void *&stream);

/// Has `stream` wait for the streams that tensors were used on, by `classify`'s method `wait_for`.
/// False with a Python exception.
bool awaitStreams(PyObject *classify, const Arguments &arguments, void *stream);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_STREAMS_H
