// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Watch.h.

#include "Watch.h"

using namespace tilec::python;

bool Watch::read(PyObject *list) {
  static PyObject *contents = PyUnicode_InternFromString("cell_contents");
  auto made = std::make_shared<std::vector<Entry>>();
  Py_ssize_t count = PySequence_Size(list);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(list, i));
    PyObject *holder = nullptr, *name = nullptr, *value = nullptr;
    int isMutable = 0;
    if (!item ||
        !PyArg_ParseTuple(item.get(), "OUO!p", &holder, &name, &PyTuple_Type, &value, &isMutable))
      return false;
    bool isCell = !PyDict_Check(holder);
    if (!isCell) {
      Py_INCREF(name);
      PyUnicode_InternInPlace(&name);
    }
    Entry entry{Ref::borrow(holder), isCell ? Ref::borrow(contents) : Ref(name), Ref(), isCell,
                isMutable != 0};
    if (PyTuple_Size(value) != 0)
      entry.value = Ref::borrow(PyTuple_GetItem(value, 0));
    made->push_back(std::move(entry));
  }
  if (count < 0)
    return false;
  entries = made->empty() ? nullptr : std::move(made);
  return true;
}

int Watch::hasChanged(const Entry &entry) {
  Ref owned;
  PyObject *present = nullptr;
  if (entry.isCell) {
    owned = Ref(PyObject_GetAttr(entry.holder.get(), entry.name.get()));
    present = owned.get();
    // An empty cell is a ValueError.
    if (!present && PyErr_ExceptionMatches(PyExc_ValueError))
      PyErr_Clear();
  } else {
    present = PyDict_GetItemWithError(entry.holder.get(), entry.name.get());
  }
  if (!present && PyErr_Occurred())
    return -1;
  if (!entry.isMutable || !present)
    return present != entry.value.get();
  if (!owned)
    owned = Ref::borrow(present);
  int isEqual = PyObject_RichCompareBool(present, entry.value.get(), Py_EQ);
  return isEqual < 0 ? -1 : !isEqual;
}

int Watch::hasChanged() const {
  if (!entries)
    return 0;
  std::shared_ptr<const std::vector<Entry>> all = entries;
  for (const Entry &entry : *all)
    if (int result = hasChanged(entry))
      return result;
  return 0;
}

int Watch::traverse(visitproc visit, void *arg) const {
  if (!entries)
    return 0;
  for (const Entry &entry : *entries)
    for (const Ref *ref : {&entry.holder, &entry.name, &entry.value})
      Py_VISIT(ref->get());
  return 0;
}
