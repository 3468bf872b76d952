// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Explain.h.

#include "Explain.h"

#include "Forking.h"

#include "Options.h"

using namespace tilec::python;

namespace {

struct ExplainOptions {
  tilec_explain_options raw = {};
  KeptTexts texts;

  bool read(PyObject *dict);
};

} // namespace

bool ExplainOptions::read(PyObject *dict) {
  raw.struct_size = sizeof raw;
  if (PyObject *flags = PyDict_GetItemString(dict, "flags"))
    raw.flags = uint32_t(PyLong_AsUnsignedLong(flags));
  return !PyErr_Occurred() && texts.read(dict, {{"gpu", &raw.gpu},
                                                {"ptxas", &raw.ptxas},
                                                {"cuda_home", &raw.cuda_home},
                                                {"search_path", &raw.search_path},
                                                {"libclc", &raw.libclc},
                                                {"libdevice", &raw.libdevice},
                                                {"device", &raw.device},
                                                {"driver", &raw.driver},
                                                {"cupti", &raw.cupti},
                                                {"triton", &raw.triton}});
}

PyObject *tilec::python::explainCall(tilec_jit *jit, const tilec_call &call, PyObject *options) {
  ExplainOptions given;
  if (!given.read(options))
    return nullptr;
  tilec_explanation *explanation = nullptr;
  tilec_status status = TILEC_OK;
  {
    LibraryCall unlocked;
    status = tilec_jit_explain(jit, &call, &given.raw, &explanation);
  }
  return status == TILEC_OK ? numberOf(explanation) : raiseStatus(status);
}

/// explain_saved(path, options)
static PyObject *explainSaved(PyObject *, PyObject *args) {
  const char *path = nullptr;
  PyObject *options = nullptr;
  ExplainOptions given;
  if (!PyArg_ParseTuple(args, "sO", &path, &options) || !given.read(options))
    return nullptr;
  tilec_explanation *explanation = nullptr;
  tilec_status status = TILEC_OK;
  {
    LibraryCall unlocked;
    status = tilec_explain_saved(path, &given.raw, &explanation);
  }
  return status == TILEC_OK ? numberOf(explanation) : raiseStatus(status);
}

/// explain_target(options): what a kernel is explained for, "sm_90a".
static PyObject *explainTarget(PyObject *, PyObject *options) {
  ExplainOptions given;
  if (!given.read(options))
    return nullptr;
  const char *target = nullptr;
  tilec_status status = TILEC_OK;
  {
    WithoutGil unlocked;
    status = tilec_explain_target(&given.raw, &target);
  }
  return status == TILEC_OK ? PyUnicode_FromString(target) : raiseStatus(status);
}

/// explanation_compare(explanation, against)
static PyObject *compare(PyObject *, PyObject *args) {
  PyObject *here = nullptr, *there = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &here, &there))
    return nullptr;
  tilec_explanation *both = nullptr;
  tilec_status status = tilec_explanation_compare(handleOf<tilec_explanation>(here),
                                                  handleOf<tilec_explanation>(there), &both);
  return status == TILEC_OK ? numberOf(both) : raiseStatus(status);
}

static PyObject *destroy(PyObject *, PyObject *number) {
  tilec_explanation_destroy(handleOf<tilec_explanation>(number));
  Py_INCREF(Py_None);
  return Py_None;
}

static PyObject *json(PyObject *, PyObject *number) {
  const char *text = tilec_explanation_json(handleOf<tilec_explanation>(number));
  return text ? PyUnicode_FromString(text) : raiseStatus(TILEC_INVALID_ARGUMENT);
}

static PyObject *html(PyObject *, PyObject *number) {
  const char *text = tilec_explanation_html(handleOf<tilec_explanation>(number));
  return text ? PyUnicode_FromString(text) : raiseStatus(TILEC_INVALID_ARGUMENT);
}

static PyObject *text(PyObject *, PyObject *number) {
  const char *text = tilec_explanation_text(handleOf<tilec_explanation>(number));
  return text ? PyUnicode_FromString(text) : raiseStatus(TILEC_INVALID_ARGUMENT);
}

bool tilec::python::addExplainFunctions(PyObject *module) {
  static PyMethodDef functions[] = {
      {"explain_saved", explainSaved, METH_VARARGS, "(path, options): an explanation's handle."},
      {"explain_target", explainTarget, METH_O, "(options): what a kernel is explained for."},
      {"explanation_compare", compare, METH_VARARGS, "(explanation, against): a handle of both."},
      {"explanation_destroy", destroy, METH_O, "Gives an explanation's handle back."},
      {"explanation_json", json, METH_O, "Everything that is known, as JSON."},
      {"explanation_html", html, METH_O, "The same as a page for a browser."},
      {"explanation_text", text, METH_O, "The verdict, in a few lines."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, functions) == 0;
}
