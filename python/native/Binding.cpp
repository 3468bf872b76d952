// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Binding.h.

#include "Binding.h"

#include <algorithm>

using namespace tilec::python;

namespace {
/// Names of launch options, as interned strings.
struct OptionNames {
  PyObject *numWarps, *numStages, *numCtas, *splitK, *maxnreg, *debug, *overflow, *fpFusion,
      *flushes, *tensorCopies, *persistent, *cooperative, *pdl, *check;
};
} // namespace

static OptionNames optionNames;

void tilec::python::setupOptionNames() {
  optionNames = {PyUnicode_InternFromString("num_warps"),
                 PyUnicode_InternFromString("num_stages"),
                 PyUnicode_InternFromString("num_ctas"),
                 PyUnicode_InternFromString("split_k"),
                 PyUnicode_InternFromString("maxnreg"),
                 PyUnicode_InternFromString("debug"),
                 PyUnicode_InternFromString("sanitize_overflow"),
                 PyUnicode_InternFromString("enable_fp_fusion"),
                 PyUnicode_InternFromString("enable_reflect_ftz"),
                 PyUnicode_InternFromString("tensor_copies"),
                 PyUnicode_InternFromString("persistent"),
                 PyUnicode_InternFromString("launch_cooperative_grid"),
                 PyUnicode_InternFromString("launch_pdl"),
                 PyUnicode_InternFromString("check")};
}

static bool isSame(PyObject *name, PyObject *other) {
  return name == other || PyUnicode_Compare(name, other) == 0;
}

/// Reads an integer option that may be None.
static bool readOption(PyObject *value, int32_t &to) {
  if (value == Py_None)
    return true;
  long number = PyLong_AsLong(value);
  if (number == -1 && PyErr_Occurred())
    return false;
  to = int32_t(number);
  return true;
}

/// Takes a keyword that is no parameter; false with a Python exception.
static bool takeOption(PyObject *self, PyObject *name, PyObject *value, LaunchOptions &options) {
  tilec_call &call = options.call;
  auto setFlag = [&](uint32_t &flags, uint32_t flag, bool whenTrue) {
    int truth = PyObject_IsTrue(value);
    if (truth < 0)
      return false;
    if ((truth != 0) == whenTrue)
      flags |= flag;
    return true;
  };
  if (isSame(name, optionNames.numWarps))
    return readOption(value, call.num_warps);
  if (isSame(name, optionNames.numStages))
    return readOption(value, call.num_stages);
  if (isSame(name, optionNames.maxnreg))
    return readOption(value, call.max_registers);
  if (isSame(name, optionNames.debug))
    call.compile_flags &= ~TILEC_COMPILE_DEBUG;
  if (isSame(name, optionNames.debug))
    return setFlag(call.compile_flags, TILEC_COMPILE_DEBUG, true);
  if (isSame(name, optionNames.overflow))
    return setFlag(call.compile_flags, TILEC_COMPILE_NO_OVERFLOW_CHECKS, false);
  if (isSame(name, optionNames.fpFusion))
    return setFlag(call.compile_flags, TILEC_COMPILE_NO_FMA, false);
  if (isSame(name, optionNames.flushes))
    return setFlag(call.compile_flags, TILEC_COMPILE_KEEP_SUBNORMALS, false);
  if (isSame(name, optionNames.tensorCopies))
    return setFlag(call.compile_flags, TILEC_COMPILE_NO_TENSOR_COPIES, false);
  if (isSame(name, optionNames.persistent)) {
    int truth = PyObject_IsTrue(value);
    call.compile_flags &= ~(TILEC_COMPILE_PERSISTENT | TILEC_COMPILE_NO_PERSISTENT);
    if (value != Py_None && truth >= 0)
      call.compile_flags |= truth ? TILEC_COMPILE_PERSISTENT : TILEC_COMPILE_NO_PERSISTENT;
    return truth >= 0;
  }
  if (isSame(name, optionNames.cooperative))
    return setFlag(call.flags, TILEC_LAUNCH_COOPERATIVE, true);
  if (isSame(name, optionNames.pdl))
    return setFlag(call.flags, TILEC_LAUNCH_PROGRAMMATIC, true);
  if (isSame(name, optionNames.numCtas)) {
    int32_t ctas = 0;
    if (!readOption(value, ctas))
      return false;
    // Other sizes, which are Triton's, mean no clusters.
    call.num_ctas = ctas == 0 || ctas == 2 || ctas == 4 || ctas == 8 ? ctas : 1;
    return true;
  }
  if (isSame(name, optionNames.splitK))
    return readOption(value, call.split_k);
  if (isSame(name, optionNames.check)) {
    int truth = PyObject_IsTrue(value);
    if (value != Py_None && truth >= 0)
      options.isChecked = truth != 0;
    return truth >= 0;
  }
  return bool(Ref(PyObject_CallMethod(self, "_take_option", "(OO)", name, value)));
}

bool tilec::python::bindArguments(PyObject *self, const Signature &signature, PyObject *args,
                                  PyObject *kwargs, Bound &bound, LaunchOptions &options) {
  size_t count = signature.params.size();
  options.call.compile_flags = signature.flags;
  Py_ssize_t given = PyTuple_Size(args);
  if (size_t(given) > signature.numPositional) {
    PyErr_Format(PyExc_TypeError, "the kernel takes %zd %s, got %zd",
                 Py_ssize_t(signature.numPositional),
                 signature.numPositional < count ? "positional arguments" : "arguments", given);
    return false;
  }
  bound.assign(count, nullptr);
  for (Py_ssize_t i = 0; i < given; ++i)
    bound[size_t(i)] = PyTuple_GetItem(args, i);
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  // Keywords mostly come in the parameters' order.
  size_t next = size_t(given);
  while (kwargs && PyDict_Next(kwargs, &position, &name, &value)) {
    size_t index = count;
    for (size_t i = 0; i < count && index == count; ++i)
      if (size_t place = (next + i) % count; signature.params[place].name.get() == name)
        index = place;
    for (size_t i = 0; i < count && index == count; ++i)
      if (PyUnicode_Compare(signature.params[i].name.get(), name) == 0)
        index = i;
    if (index < signature.numUnnamed) {
      PyErr_Format(PyExc_TypeError, "the kernel's argument '%U' is positional-only", name);
      return false;
    }
    if (index == count) {
      if (!takeOption(self, name, value, options))
        return false;
      continue;
    }
    if (bound[index]) {
      PyErr_Format(PyExc_TypeError, "the kernel got several values for argument '%U'", name);
      return false;
    }
    bound[index] = value;
    next = index + 1;
  }
  for (size_t i = 0; i < count; ++i) {
    if (bound[i])
      continue;
    bound[i] = signature.params[i].defaultValue.get();
    if (!bound[i]) {
      PyErr_Format(PyExc_TypeError, "the kernel's argument '%U' is missing",
                   signature.params[i].name.get());
      return false;
    }
  }
  return true;
}

/// The bound arguments by name, for grids that are functions.
static Ref makeMeta(const Signature &signature, const Bound &bound) {
  Ref meta(PyDict_New());
  for (size_t i = 0; meta && i < bound.size(); ++i)
    if (PyDict_SetItem(meta.get(), signature.params[i].name.get(), bound[i]) != 0)
      return Ref();
  return meta;
}

static bool readDimension(PyObject *object, int dim, uint32_t &to) {
  Ref number(PyNumber_Index(object));
  if (!number)
    return false;
  long long value = PyLong_AsLongLong(number.get());
  if (value == -1 && PyErr_Occurred())
    return false;
  if (value < 0 || value > INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "size %d of the grid is %lld, expected 0 to 2147483647", dim,
                 value);
    return false;
  }
  to = uint32_t(value);
  return true;
}

bool tilec::python::readGrid(PyObject *grid, const Signature &signature, const Bound &bound,
                             tilec_call &call) {
  std::fill(call.grid, call.grid + 3, 1u);
  if (grid == Py_Ellipsis) {
    call.flags |= TILEC_LAUNCH_BUNDLED_GRID;
    return true;
  }
  Ref made;
  if (PyCallable_Check(grid)) {
    Ref meta = makeMeta(signature, bound);
    if (!meta)
      return false;
    made = Ref(PyObject_CallFunctionObjArgs(grid, meta.get(), nullptr));
    if (!made)
      return false;
    grid = made.get();
  }
  // Arrays may be sequences and numbers at once.
  Py_ssize_t size = PyLong_Check(grid) || !PySequence_Check(grid) ? -1 : PySequence_Size(grid);
  if (size < 0) {
    PyErr_Clear();
    if (PyIndex_Check(grid))
      return readDimension(grid, 0, call.grid[0]);
    PyErr_Format(PyExc_TypeError,
                 "a grid has one to three sizes, or is a function of the arguments, got %R", grid);
    return false;
  }
  if (size < 1 || size > 3) {
    PyErr_Format(PyExc_ValueError, "a grid has one to three sizes, got %zd", size);
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    Ref item(PySequence_GetItem(grid, i));
    if (!item || !readDimension(item.get(), int(i), call.grid[i]))
      return false;
  }
  return true;
}

bool tilec::python::readParams(PyObject *names, PyObject *constexprs, PyObject *defaults,
                               PyObject *missing, std::vector<Param> &params) {
  for (Py_ssize_t i = 0, count = PySequence_Size(names); i < count; ++i) {
    Param param;
    PyObject *name = PySequence_GetItem(names, i);
    if (!name)
      return false;
    PyUnicode_InternInPlace(&name);
    param.name = Ref(name);
    Ref isConstexpr(PySequence_GetItem(constexprs, i));
    Ref value(PySequence_GetItem(defaults, i));
    if (!isConstexpr || !value)
      return false;
    param.isConstexpr = PyObject_IsTrue(isConstexpr.get()) == 1;
    if (value.get() != missing)
      param.defaultValue = std::move(value);
    params.push_back(std::move(param));
  }
  return true;
}
