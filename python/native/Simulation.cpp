// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Simulation.h.

#include "Simulation.h"

using namespace tilec::python;

/// The launch of this thread.
static thread_local Simulation *simulating = nullptr;

Simulation::Simulation() : outer(simulating) { simulating = this; }
Simulation::~Simulation() { simulating = outer; }

void Simulation::tell(void *, const tilec_device_event *event) {
  if (!simulating)
    return;
  if (event->kind == TILEC_EVENT_PRINTED) {
    simulating->lines.push_back(event->text);
    return;
  }
  simulating->faults.push_back({event->finding,
                                event->text,
                                event->file,
                                event->kernel,
                                event->line,
                                event->column,
                                {event->program[0], event->program[1], event->program[2]},
                                event->thread});
}

void Simulation::print() {
  if (lines.empty())
    return;
  std::string printed;
  for (const std::string &line : lines)
    (printed += line) += '\n';
  lines.clear();
  // One write, so that lines of other threads do not come in between. PySys_WriteStdout cuts long
  // texts off.
  Ref file(Py_XNewRef(PySys_GetObject("stdout")));
  Ref text(PyUnicode_DecodeUTF8(printed.data(), Py_ssize_t(printed.size()), "replace"));
  if (!file || !text || PyFile_WriteObject(text.get(), file.get(), Py_PRINT_RAW) != 0)
    PyErr_Clear();
}

static PyObject *raiseError(int status, PyObject *faults) {
  // Imports may call the library.
  std::string message = tilec_last_error();
  Ref errors(PyImport_ImportModule("tilec.errors"));
  if (!errors)
    return nullptr;
  Ref text(PyUnicode_DecodeUTF8(message.data(), Py_ssize_t(message.size()), "replace"));
  Ref error(
      text ? PyObject_CallMethod(errors.get(), "make_error", "(iOO)", status, text.get(), faults)
           : nullptr);
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

PyObject *tilec::python::raiseStatus(int status) { return raiseError(status, Py_None); }

PyObject *Simulation::raise(int status) {
  Ref list(PyList_New(0));
  for (const Fault &fault : faults) {
    Ref entry(Py_BuildValue("(sssII(III)Is)", fault.kind.c_str(), fault.message.c_str(),
                            fault.file.c_str(), fault.line, fault.column, fault.program[0],
                            fault.program[1], fault.program[2], fault.thread,
                            fault.kernel.c_str()));
    if (!list || !entry || PyList_Append(list.get(), entry.get()) != 0)
      return nullptr;
  }
  return list ? raiseError(status, list.get()) : nullptr;
}
