// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Launch.h.

#include "Launch.h"

#include "Kernel.h"

using namespace tilec::python;

namespace {
struct LaunchObject {
  PyObject_HEAD;
  PyObject *kernel;
  PyObject *grid;
};
} // namespace

static PyTypeObject *launchType;

PyObject *tilec::python::makeLaunch(PyObject *kernel, PyObject *grid) {
  auto *made = PyObject_GC_New(LaunchObject, launchType);
  if (!made)
    return nullptr;
  Py_INCREF(kernel);
  Py_INCREF(grid);
  made->kernel = kernel;
  made->grid = grid;
  PyObject_GC_Track(made);
  return reinterpret_cast<PyObject *>(made);
}

static PyObject *callLaunch(PyObject *self, PyObject *args, PyObject *kwargs) {
  auto *object = reinterpret_cast<LaunchObject *>(self);
  return guarded([&] { return runKernel(object->kernel, object->grid, args, kwargs); });
}

static int traverseLaunch(PyObject *self, visitproc visit, void *arg) {
  auto *object = reinterpret_cast<LaunchObject *>(self);
  Py_VISIT(reinterpret_cast<PyObject *>(Py_TYPE(self)));
  Py_VISIT(object->kernel);
  Py_VISIT(object->grid);
  return 0;
}

static void deallocateLaunch(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  auto *object = reinterpret_cast<LaunchObject *>(self);
  Py_XDECREF(object->kernel);
  Py_XDECREF(object->grid);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  // Objects own their type, as it is no static one.
  Py_DECREF(reinterpret_cast<PyObject *>(type));
}

bool tilec::python::addLaunchType(PyObject *module) {
  static PyType_Slot slots[] = {{Py_tp_doc, const_cast<char *>("A kernel with its grid.")},
                                {Py_tp_call, reinterpret_cast<void *>(callLaunch)},
                                {Py_tp_dealloc, reinterpret_cast<void *>(deallocateLaunch)},
                                {Py_tp_traverse, reinterpret_cast<void *>(traverseLaunch)},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "tilec._native.Launch", sizeof(LaunchObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  Ref type(PyType_FromSpec(&spec));
  if (!type)
    return false;
  launchType = reinterpret_cast<PyTypeObject *>(Ref::borrow(type.get()).release());
  if (PyModule_AddObject(module, "Launch", type.get()) != 0)
    return false;
  type.release();
  return true;
}
