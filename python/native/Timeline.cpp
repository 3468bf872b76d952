// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Timeline.h.

#include "Timeline.h"

using namespace tilec::python;

bool TimelineLaunch::read(PyObject *dict) {
  struct Number {
    const char *name;
    uint32_t *to;
  };
  const Number numbers[] = {{"first_cta", &options.first_cta},
                            {"num_ctas", &options.num_ctas},
                            {"marks", &options.marks}};
  for (const Number &member : numbers)
    if (PyObject *value = PyDict_GetItemString(dict, member.name))
      *member.to = uint32_t(PyLong_AsUnsignedLong(value));
  return !PyErr_Occurred() && texts.read(dict, {{"ptxas", &options.ptxas},
                                                {"cuda_home", &options.cuda_home},
                                                {"search_path", &options.search_path},
                                                {"libclc", &options.libclc},
                                                {"libdevice", &options.libdevice}});
}

PyObject *TimelineLaunch::take() {
  if (!made) {
    Py_INCREF(Py_None);
    return Py_None;
  }
  return numberOf(std::exchange(made, nullptr));
}

static PyObject *destroy(PyObject *, PyObject *number) {
  tilec_timeline_destroy(handleOf<tilec_timeline>(number));
  Py_INCREF(Py_None);
  return Py_None;
}

/// What one of the functions of the interface says of a timeline.
template <const char *(*get)(const tilec_timeline *)>
static PyObject *textOf(PyObject *, PyObject *number) {
  const char *text = get(handleOf<tilec_timeline>(number));
  return text ? PyUnicode_FromString(text) : raiseStatus(TILEC_INVALID_ARGUMENT);
}

bool tilec::python::addTimelineFunctions(PyObject *module) {
  static PyMethodDef functions[] = {
      {"timeline_destroy", destroy, METH_O, "Gives a timeline's handle back."},
      {"timeline_text", textOf<tilec_timeline_text>, METH_O, "What there is, in a few lines."},
      {"timeline_json", textOf<tilec_timeline_json>, METH_O, "The same as JSON."},
      {"timeline_trace", textOf<tilec_timeline_trace>, METH_O, "Trace events."},
      {"timeline_svg", textOf<tilec_timeline_svg>, METH_O, "A picture."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, functions) == 0;
}
