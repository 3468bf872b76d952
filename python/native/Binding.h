// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call's arguments bound to a kernel's parameters, its launch options and its grid.

#ifndef TILEC_PYTHON_NATIVE_BINDING_H
#define TILEC_PYTHON_NATIVE_BINDING_H

#include "Object.h"

#include <optional>
#include <vector>

namespace tilec::python {

/// A parameter of a kernel.
struct Param {
  Ref name;
  /// Null where there is none.
  Ref defaultValue;
  bool isConstexpr = false;
};

/// A kernel's parameters, in order.
struct Signature {
  std::vector<Param> params;
  /// How many of the parameters cannot be given by name, and how many can be given by position.
  size_t numUnnamed = 0, numPositional = 0;
  /// TILEC_COMPILE_... flags of calls that do not say otherwise.
  uint32_t flags = 0;
};

/// Reads the parameters of a kernel: their names, whether they are constants, and defaults, of
/// which `missing` stands for none. False with a Python exception.
bool readParams(PyObject *names, PyObject *constexprs, PyObject *defaults, PyObject *missing,
                std::vector<Param> &params);

/// Values bound to the parameters, borrowed from the call.
using Bound = std::vector<PyObject *>;

/// The options of a launch that are no arguments of the kernel.
struct LaunchOptions {
  tilec_call &call;
  /// Unset: what setChecked says.
  std::optional<bool> isChecked;
};

/// Once, before the first call.
void setupOptionNames();

/// Binds the arguments of a call to the parameters, as Python does; other keywords are options, of
/// which the kernel `self` is asked where they are not known here. False with a Python exception.
bool bindArguments(PyObject *self, const Signature &signature, PyObject *args, PyObject *kwargs,
                   Bound &bound, LaunchOptions &options);

/// Reads a grid: one to three sizes, a function of the arguments that gives them, or `...` for what
/// the kernel's bundle says.
bool readGrid(PyObject *grid, const Signature &signature, const Bound &bound, tilec_call &call);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_BINDING_H
