// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python objects in C++: owned references, and Python's C interface as far as it is stable since
// version 3.10, so that one binary serves all versions.

#ifndef TILEC_PYTHON_NATIVE_OBJECT_H
#define TILEC_PYTHON_NATIVE_OBJECT_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030a0000
#include <Python.h>

#include "tilec/tilec.h"

#include <utility>

namespace tilec::python {

/// An owned reference, or null. Null stands for a Python exception that is set.
class Ref {
public:
  Ref() = default;
  /// Takes over a new reference.
  explicit Ref(PyObject *owned) : object(owned) {}
  static Ref borrow(PyObject *borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;
  ~Ref() { Py_XDECREF(object); }

  explicit operator bool() const { return object != nullptr; }
  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }

private:
  PyObject *object = nullptr;
};

/// Lets other threads run Python meanwhile.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state); }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

private:
  PyThreadState *state;
};

/// Holds the interpreter in a call from the library.
class WithGil {
public:
  WithGil() : state(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state); }
  WithGil(const WithGil &) = delete;
  WithGil &operator=(const WithGil &) = delete;

private:
  PyGILState_STATE state;
};

/// Sets the Python exception of a failed call: tilec.errors.raise_status(status, text).
PyObject *raiseStatus(int status);

/// The handle that a Python integer holds.
template <typename Handle> Handle *handleOf(PyObject *number) {
  return static_cast<Handle *>(PyLong_AsVoidPtr(number));
}
template <typename Handle> PyObject *numberOf(Handle *handle) {
  return PyLong_FromVoidPtr(const_cast<void *>(static_cast<const void *>(handle)));
}

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_OBJECT_H
