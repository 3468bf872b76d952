// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Python dict as the options of a compilation.

#ifndef TILEC_PYTHON_NATIVE_OPTIONS_H
#define TILEC_PYTHON_NATIVE_OPTIONS_H

#include "Object.h"

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

namespace tilec::python {

/// Copies of texts in a dict: Python may change its own meanwhile.
class KeptTexts {
public:
  struct Member {
    const char *name;
    const char **to;
  };
  /// Members that the dict does not have, or has as None, stay as they are. False with a Python
  /// exception.
  bool read(PyObject *dict, std::initializer_list<Member> members);

private:
  std::deque<std::string> texts;
};

/// Keys are the names of tilec_options' members; bindings and modules are lists of pairs. Texts are
/// copied.
class Options {
public:
  /// False with a Python exception.
  bool read(PyObject *dict);
  tilec_options raw = {};
  /// Of tilec_jit_options.
  std::vector<const char *> unspecialized, unaligned;
  std::vector<tilec_binding> parameters;

private:
  const char *keep(PyObject *text, Py_ssize_t *length = nullptr);
  bool readPairs(PyObject *list, std::vector<tilec_binding> &to);
  bool readModules(PyObject *list);
  bool readTexts(PyObject *list, std::vector<const char *> &to);
  bool readMember(const std::string &name, PyObject *value);

  std::deque<std::string> texts;
  std::vector<tilec_binding> arguments, constants;
  std::vector<tilec_module> modules;
  std::vector<const char *> roots, warnings;
};

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_OPTIONS_H
