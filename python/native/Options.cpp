// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h.

#include "Options.h"

using namespace tilec::python;

bool KeptTexts::read(PyObject *dict, std::initializer_list<Member> members) {
  for (const Member &member : members) {
    PyObject *value = PyDict_GetItemString(dict, member.name);
    if (!value || value == Py_None)
      continue;
    const char *text = PyUnicode_AsUTF8AndSize(value, nullptr);
    if (!text)
      return false;
    *member.to = texts.emplace_back(text).c_str();
  }
  return true;
}

const char *Options::keep(PyObject *text, Py_ssize_t *length) {
  Py_ssize_t size = 0;
  const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes)
    return nullptr;
  if (length)
    *length = size;
  return texts.emplace_back(bytes, size_t(size)).c_str();
}

bool Options::readTexts(PyObject *list, std::vector<const char *> &to) {
  Py_ssize_t count = PySequence_Size(list);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(list, i));
    const char *text = item ? keep(item.get()) : nullptr;
    if (!text)
      return false;
    to.push_back(text);
  }
  return count >= 0;
}

bool Options::readPairs(PyObject *list, std::vector<tilec_binding> &to) {
  Py_ssize_t count = PySequence_Size(list);
  for (Py_ssize_t i = 0; i < count; ++i) {
    std::vector<const char *> pair;
    Ref item(PySequence_GetItem(list, i));
    if (!item || !readTexts(item.get(), pair))
      return false;
    if (pair.size() != 2) {
      PyErr_SetString(PyExc_ValueError, "expected pairs of texts");
      return false;
    }
    to.push_back({pair[0], pair[1]});
  }
  return count >= 0;
}

bool Options::readModules(PyObject *list) {
  Py_ssize_t count = PySequence_Size(list);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(list, i));
    Ref path(item ? PySequence_GetItem(item.get(), 0) : nullptr);
    Ref text(path ? PySequence_GetItem(item.get(), 1) : nullptr);
    Py_ssize_t length = 0;
    const char *file = text ? keep(path.get()) : nullptr;
    const char *content = file ? keep(text.get(), &length) : nullptr;
    if (!content)
      return false;
    modules.push_back({file, content, size_t(length)});
  }
  return count >= 0;
}

bool Options::readMember(const std::string &name, PyObject *value) {
  if (value == Py_None)
    return true;
  struct Text {
    const char *name;
    const char **to;
  };
  const Text members[] = {{"kernel", &raw.kernel},
                          {"target", &raw.target},
                          {"ptxas", &raw.ptxas},
                          {"cuda_home", &raw.cuda_home},
                          {"search_path", &raw.search_path},
                          {"libclc", &raw.libclc},
                          {"libdevice", &raw.libdevice},
                          {"tuning_database", &raw.tuning_database},
                          {"tuning_device", &raw.tuning_device}};
  for (const Text &member : members)
    if (name == member.name)
      return (*member.to = keep(value)) != nullptr;
  struct List {
    const char *name;
    std::vector<const char *> *to;
  };
  const List lists[] = {{"import_roots", &roots},
                        {"warnings", &warnings},
                        {"unspecialized", &unspecialized},
                        {"unaligned", &unaligned}};
  for (const List &list : lists)
    if (name == list.name)
      return readTexts(value, *list.to);
  if (name == "arguments")
    return readPairs(value, arguments);
  if (name == "constants")
    return readPairs(value, constants);
  if (name == "parameters")
    return readPairs(value, parameters);
  if (name == "modules")
    return readModules(value);
  long long number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred())
    return false;
  if (name == "num_warps")
    raw.num_warps = int32_t(number);
  else if (name == "num_stages")
    raw.num_stages = int32_t(number);
  else if (name == "num_ctas")
    raw.num_ctas = int32_t(number);
  else if (name == "split_k")
    raw.split_k = int32_t(number);
  else if (name == "max_registers")
    raw.max_registers = int32_t(number);
  else if (name == "flags")
    raw.flags = uint32_t(number);
  else if (name == "stop_after")
    raw.stop_after = tilec_stage(number);
  else if (name == "keep_stages")
    raw.keep_stages = uint32_t(number);
  else if (name == "cache")
    raw.cache = reinterpret_cast<const tilec_cache *>(uintptr_t(number));
  else if (name == "max_steps")
    raw.max_steps = uint64_t(number);
  else if (name == "max_ops")
    raw.max_ops = uint64_t(number);
  else if (name == "max_unroll")
    raw.max_unroll = uint64_t(number);
  else {
    PyErr_Format(PyExc_KeyError, "unknown option '%s'", name.c_str());
    return false;
  }
  return true;
}

bool Options::read(PyObject *dict) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &key, &value)) {
    const char *name = PyUnicode_AsUTF8AndSize(key, nullptr);
    if (!name || !readMember(name, value))
      return false;
  }
  raw.struct_size = sizeof raw;
  raw.arguments = arguments.data();
  raw.num_arguments = arguments.size();
  raw.constants = constants.data();
  raw.num_constants = constants.size();
  raw.modules = modules.data();
  raw.num_modules = modules.size();
  raw.import_roots = roots.data();
  raw.num_import_roots = roots.size();
  raw.warnings = warnings.data();
  raw.num_warnings = warnings.size();
  return true;
}
