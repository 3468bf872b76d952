// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that a kernel's text has from the program around it: module-level constants, variables of
// functions around it, functions that it calls. Every launch looks whether they are what they were.

#ifndef TILEC_PYTHON_NATIVE_WATCH_H
#define TILEC_PYTHON_NATIVE_WATCH_H

#include "Object.h"

#include <memory>
#include <vector>

namespace tilec::python {

class Watch {
public:
  /// Reads a list of (dict or cell, name, value or nothing, is mutable); the third is a tuple.
  /// False with a Python exception.
  bool read(PyObject *list);
  /// 1: a value is another object, or unequal where it is mutable; 0: none is; -1: a Python
  /// exception.
  int hasChanged() const;
  /// For the collector of cycles: the dicts of modules hold the kernels that watch them.
  int traverse(visitproc visit, void *arg) const;
  void clear() { entries = nullptr; }

private:
  struct Entry {
    Ref holder, name;
    /// Null: there was none.
    Ref value;
    bool isCell, isMutable;
  };
  /// Shared, as comparing may run Python, which may change what is watched.
  std::shared_ptr<const std::vector<Entry>> entries;

  static int hasChanged(const Entry &entry);
};

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_WATCH_H
