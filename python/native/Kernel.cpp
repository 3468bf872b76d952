// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Kernel.h. A launch binds the arguments to the parameters, reads their values (Arguments.cpp),
// finds the kernel's tilec_jit for the device that the tensors are on, and calls tilec_jit_launch
// without the interpreter's lock.

#include "Kernel.h"

#include "Arguments.h"
#include "Binding.h"
#include "Explain.h"
#include "Forking.h"
#include "Launch.h"
#include "Simulation.h"
#include "Streams.h"
#include "Timeline.h"
#include "Watch.h"

#include <memory>
#include <string>

#include <unistd.h>

using namespace tilec::python;

namespace {

/// Handles of the process that this one was forked from are not this one's to destroy.
struct DestroyJit {
  pid_t process = getpid();
  void operator()(tilec_jit *jit) const {
    if (process == getpid())
      tilec_jit_destroy(jit);
  }
};
/// Shared with the launches under way, which go on without the interpreter's lock.
using SharedJit = std::shared_ptr<tilec_jit>;

/// Where a kernel runs. On the CPU that is the simulator, which may look for races.
struct Device {
  int32_t type = 0, id = 0;
  bool isChecked = false;

  bool operator==(const Device &other) const {
    return type == other.type && id == other.id && isChecked == other.isChecked;
  }
};

/// A kernel's code for one device.
struct Opened {
  Device device;
  SharedJit jit;
  /// What launches return, by the number of the code.
  std::vector<Ref> kernels;
};

/// What a kernel's object holds.
struct KernelState {
  Signature signature;
  std::vector<Opened> opened;
  Ref classify, constants;
  Watch watch;
  unsigned epoch = 0;
  pid_t process = 0;
  /// Counts the times that the code was dropped.
  unsigned generation = 0;

  void forget() {
    ++generation;
    // Python may run when what launches returned goes away.
    std::vector<Opened>().swap(opened);
  }
  int traverse(visitproc visit, void *arg) const;
};

struct KernelObject {
  PyObject_HEAD;
  KernelState *state;
};

} // namespace

/// Counts what makes opened devices out of date.
static unsigned epoch = 1;
static bool isHooked, isChecked;

void tilec::python::forgetOpened() { ++epoch; }
void tilec::python::setHooked(bool hooked) { isHooked = hooked; }
void tilec::python::setChecked(bool checked) { isChecked = checked; }

static KernelState *stateOf(PyObject *self) {
  KernelState *state = reinterpret_cast<KernelObject *>(self)->state;
  if (!state) {
    Ref answer(PyObject_CallMethod(self, "_refuse", nullptr));
    if (answer)
      PyErr_SetString(PyExc_RuntimeError, "the kernel was not set up");
  }
  return state;
}

//===----------------------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------------------===//

/// Asks Python for the device of a launch without tensors.
static bool findPlace(PyObject *self, Place &place) {
  Ref answer(PyObject_CallMethod(self, "_default_place", nullptr));
  return answer && PyArg_ParseTuple(answer.get(), "ii", &place.deviceType, &place.deviceId);
}

/// Drops the code when something happened that makes it out of date.
static void forgetIfOld(KernelState &state) {
  if (state.epoch == epoch && state.process == getpid())
    return;
  state.epoch = epoch;
  state.process = getpid();
  state.forget();
}

static SharedJit findOpened(const KernelState &state, const Device &device) {
  for (const Opened &entry : state.opened)
    if (entry.device == device)
      return entry.jit;
  return nullptr;
}

/// The kernel on a device, which is opened when it is not yet; null with a Python exception.
static SharedJit open(PyObject *self, KernelState &state, const Device &device) {
  for (;;) {
    forgetIfOld(state);
    if (SharedJit known = findOpened(state, device))
      return known;
    Preparing preparing;
    unsigned generation = state.generation;
    Ref handle(PyObject_CallMethod(self, "_open", "(iiO)", int(device.type), int(device.id),
                                   device.isChecked ? Py_True : Py_False));
    tilec_jit *raw = handle ? handleOf<tilec_jit>(handle.get()) : nullptr;
    if (!raw)
      return nullptr;
    SharedJit jit(raw, DestroyJit());
    // Other threads may have been here meanwhile.
    forgetIfOld(state);
    if (state.generation != generation)
      continue;
    if (SharedJit known = findOpened(state, device))
      return known;
    state.opened.push_back({device, jit, {}});
    return jit;
  }
}

namespace {
/// A call whose values were read.
struct ReadyCall {
  ReadyCall(PyObject *self, const KernelState &state)
      : arguments(self, state.classify.get(), state.constants.get()) {
    call.struct_size = sizeof call;
  }
  tilec_call call = {};
  Arguments arguments;
  Bound bound;
  Device device;
  SharedJit jit;
};

/// What this thread launches or compiles.
thread_local const ReadyCall *beingCompiled;

/// For a call of the library that may compile for this thread's launch.
class Compiling {
public:
  explicit Compiling(const ReadyCall &ready) : outer(std::exchange(beingCompiled, &ready)) {}
  ~Compiling() { beingCompiled = outer; }
  Compiling(const Compiling &) = delete;
  Compiling &operator=(const Compiling &) = delete;

private:
  const ReadyCall *outer;
  LibraryCall call;
};
} // namespace

const char *tilec::python::describeLaunch() {
  return beingCompiled ? tilec_jit_describe(beingCompiled->jit.get(), &beingCompiled->call)
                       : nullptr;
}

/// Reads a call as far as its kind of values; false with a Python exception.
static bool prepare(PyObject *self, KernelState &state, PyObject *args, PyObject *kwargs,
                    ReadyCall &ready) {
  if (int changed = state.watch.hasChanged())
    if (changed < 0 || !Ref(PyObject_CallMethod(self, "_changed", nullptr)))
      return false;
  LaunchOptions options{ready.call, std::nullopt};
  if (!bindArguments(self, state.signature, args, kwargs, ready.bound, options))
    return false;
  Arguments &arguments = ready.arguments;
  for (size_t i = 0; i < ready.bound.size(); ++i)
    if (!arguments.add(ready.bound[i], state.signature.params[i].isConstexpr,
                       state.signature.params[i].name.get()))
      return false;
  if (arguments.place.deviceType == 0 && !findPlace(self, arguments.place))
    return false;
  if (arguments.hasCapsules() && (!findStream(self, arguments, ready.call.stream) ||
                                  !arguments.openCapsules(ready.call.stream)))
    return false;
  const Place &place = arguments.place;
  if (!place.isHost() && options.isChecked.value_or(false)) {
    PyErr_SetString(PyExc_ValueError,
                    "check=True is for launches on the simulator, which run where "
                    "the tensors are on the CPU: this one is on a GPU");
    return false;
  }
  ready.device = {place.deviceType, place.deviceId,
                  place.isHost() && options.isChecked.value_or(isChecked)};
  ready.jit = open(self, state, ready.device);
  if (!ready.jit)
    return false;
  tilec_call &call = ready.call;
  call.values = arguments.values.data();
  call.num_values = arguments.values.size();
  call.buffers = arguments.buffers.data();
  call.num_buffers = arguments.buffers.size();
  return true;
}

/// What tells a call's code from the others': the kinds of its values, as JSON, (device type,
/// number, is checked), and (warps, stages, registers, programs of a cluster, CTAs of a program,
/// flags) as the call gives them.
static Ref describeCall(const ReadyCall &ready) {
  const char *kind = tilec_jit_describe(ready.jit.get(), &ready.call);
  const tilec_call &call = ready.call;
  return Ref(Py_BuildValue("(s(iiO)(iiiiiI))", kind ? kind : "{}", int(ready.device.type),
                           int(ready.device.id), ready.device.isChecked ? Py_True : Py_False,
                           int(call.num_warps), int(call.num_stages), int(call.max_registers),
                           int(call.num_ctas), int(call.split_k), unsigned(call.compile_flags)));
}

static tilec_status findCode(const ReadyCall &ready, uint32_t &variant) {
  Compiling compiling(ready);
  return tilec_jit_find(ready.jit.get(), &ready.call, &variant);
}

/// What a launch returns: the kernel as Python sees it, made when it runs for the first time.
static PyObject *compiledKernel(PyObject *self, KernelState &state, const ReadyCall &ready,
                                uint32_t variant) {
  auto find = [&]() -> Opened * {
    for (Opened &entry : state.opened)
      if (entry.jit == ready.jit)
        return &entry;
    return nullptr;
  };
  if (Opened *opened = find(); opened && variant < opened->kernels.size())
    if (PyObject *known = opened->kernels[variant].get()) {
      Py_INCREF(known);
      return known;
    }
  Preparing preparing;
  tilec_kernel *kernel = nullptr;
  if (tilec_status status = tilec_jit_get_kernel(ready.jit.get(), &ready.call, &kernel))
    return raiseStatus(status);
  Ref number(numberOf(kernel));
  Ref description(number ? describeCall(ready) : Ref());
  Ref made(description
               ? PyObject_CallMethod(self, "_compiled", "(OO)", number.get(), description.get())
               : nullptr);
  if (!made)
    return nullptr;
  if (Opened *opened = find()) {
    if (opened->kernels.size() <= variant)
      opened->kernels.resize(variant + 1);
    opened->kernels[variant] = Ref::borrow(made.get());
  }
  return made.release();
}

/// With a timeline, where it is not null.
static PyObject *launch(PyObject *self, PyObject *grid, PyObject *args, PyObject *kwargs,
                        TimelineLaunch *timeline = nullptr) {
  KernelState *state = stateOf(self);
  if (!state)
    return nullptr;
  ReadyCall ready(self, *state);
  tilec_call &call = ready.call;
  if (!prepare(self, *state, args, kwargs, ready) ||
      !readGrid(grid, state->signature, ready.bound, call) ||
      !findStream(self, ready.arguments, call.stream))
    return nullptr;
  uint32_t variant = UINT32_MAX;
  tilec_status status = TILEC_OK;
  bool isEmpty = call.grid[0] == 0 || call.grid[1] == 0 || call.grid[2] == 0;
  if (!isEmpty && (!ready.arguments.haveMemory() ||
                   !awaitStreams(state->classify.get(), ready.arguments, call.stream)))
    return nullptr;
  Simulation simulation;
  if (isEmpty) {
    // There is nothing to run, but a kernel that is wrong is wrong all the same.
    Compiling compiling(ready);
    tilec_kernel *kernel = nullptr;
    status = tilec_jit_get_kernel(ready.jit.get(), &call, &kernel);
    tilec_kernel_destroy(kernel);
  } else if (timeline) {
    Compiling compiling(ready);
    status = timeline->launch(ready.jit.get(), call, variant);
  } else if (ready.arguments.place.isHost()) {
    status = findCode(ready, variant);
    LibraryCall unlocked;
    if (status == TILEC_OK)
      status = tilec_jit_launch(ready.jit.get(), &call, &variant);
  } else {
    Compiling compiling(ready);
    status = tilec_jit_launch(ready.jit.get(), &call, &variant);
  }
  simulation.print();
  if (status != TILEC_OK)
    return simulation.raise(status);
  if (variant == UINT32_MAX) {
    Py_INCREF(Py_None);
    return Py_None;
  }
  return compiledKernel(self, *state, ready, variant);
}

/// Asks Python what to do about a launch that failed with the exception that is set.
static PyObject *recover(PyObject *self, PyObject *grid, PyObject *args, PyObject *kwargs) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Ref owned[] = {Ref(type), Ref(value), Ref(trace)};
  if (value && trace)
    PyException_SetTraceback(value, trace);
  return PyObject_CallMethod(self, "_recover", "(OOOO)", grid, args, kwargs ? kwargs : Py_None,
                             value ? value : Py_None);
}

PyObject *tilec::python::runKernel(PyObject *self, PyObject *grid, PyObject *args,
                                   PyObject *kwargs) {
  if (isHooked)
    return PyObject_CallMethod(self, "_run_hooked", "(OOO)", grid, args, kwargs ? kwargs : Py_None);
  PyObject *result = launch(self, grid, args, kwargs);
  return result ? result : recover(self, grid, args, kwargs);
}

//===----------------------------------------------------------------------------------===//
// The type of kernels
//===----------------------------------------------------------------------------------===//

/// _setup(names, constexprs, defaults, missing, classify, constants, positional-only parameters,
/// positional parameters, flags)
static PyObject *setup(PyObject *self, PyObject *args) {
  PyObject *names = nullptr, *constexprs = nullptr, *defaults = nullptr, *missing = nullptr,
           *classify = nullptr, *constants = nullptr;
  Py_ssize_t unnamed = 0, positional = 0;
  unsigned flags = 0;
  if (!PyArg_ParseTuple(args, "OOOOOOnnI", &names, &constexprs, &defaults, &missing, &classify,
                        &constants, &unnamed, &positional, &flags))
    return nullptr;
  return guarded([&]() -> PyObject * {
    auto state = std::make_unique<KernelState>();
    if (!readParams(names, constexprs, defaults, missing, state->signature.params))
      return nullptr;
    state->signature.numUnnamed = size_t(unnamed);
    state->signature.numPositional = size_t(positional);
    state->signature.flags = flags;
    state->classify = Ref::borrow(classify);
    state->constants = Ref::borrow(constants);
    delete std::exchange(reinterpret_cast<KernelObject *>(self)->state, state.release());
    Py_INCREF(Py_None);
    return Py_None;
  });
}

/// _forget(): the code for all devices.
static PyObject *forget(PyObject *self, PyObject *) {
  if (KernelState *state = stateOf(self)) {
    state->forget();
    Py_INCREF(Py_None);
    return Py_None;
  }
  return nullptr;
}

/// _watch(records): what makes the text out of date.
static PyObject *watch(PyObject *self, PyObject *records) {
  return guarded([&]() -> PyObject * {
    KernelState *state = stateOf(self);
    if (!state || !state->watch.read(records))
      return nullptr;
    Py_INCREF(Py_None);
    return Py_None;
  });
}

/// _launch(grid, args, kwargs): without hooks.
static PyObject *launchMethod(PyObject *self, PyObject *args) {
  PyObject *grid = nullptr, *positional = nullptr, *keywords = nullptr;
  if (!PyArg_ParseTuple(args, "OO!O", &grid, &PyTuple_Type, &positional, &keywords))
    return nullptr;
  return guarded(
      [&] { return launch(self, grid, positional, keywords == Py_None ? nullptr : keywords); });
}

/// _launch_timeline(grid, args, kwargs, options): what the launch returns, and its timeline.
static PyObject *launchTimeline(PyObject *self, PyObject *args) {
  PyObject *grid = nullptr, *positional = nullptr, *keywords = nullptr, *options = nullptr;
  if (!PyArg_ParseTuple(args, "OO!OO!", &grid, &PyTuple_Type, &positional, &keywords, &PyDict_Type,
                        &options))
    return nullptr;
  return guarded([&]() -> PyObject * {
    TimelineLaunch timeline;
    if (!timeline.read(options))
      return nullptr;
    Ref compiled(
        launch(self, grid, positional, keywords == Py_None ? nullptr : keywords, &timeline));
    Ref number(compiled ? timeline.take() : nullptr);
    return number ? PyTuple_Pack(2, compiled.get(), number.get()) : nullptr;
  });
}

/// Reads a call, given as (args, kwargs), and hands it to `use(state, ready)`.
template <typename Use> static PyObject *onReadyCall(PyObject *self, PyObject *args, Use use) {
  PyObject *positional = nullptr, *keywords = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &positional, &keywords))
    return nullptr;
  return guarded([&]() -> PyObject * {
    KernelState *state = stateOf(self);
    if (!state)
      return nullptr;
    ReadyCall ready(self, *state);
    if (!prepare(self, *state, positional, keywords == Py_None ? nullptr : keywords, ready))
      return nullptr;
    return use(*state, ready);
  });
}

/// _describe(args, kwargs): see describeCall.
static PyObject *describe(PyObject *self, PyObject *args) {
  return onReadyCall(self, args,
                     [](KernelState &, ReadyCall &ready) { return describeCall(ready).release(); });
}

/// _warmup(args, kwargs): compiles, and returns the kernel.
static PyObject *warmup(PyObject *self, PyObject *args) {
  return onReadyCall(self, args, [&](KernelState &state, ReadyCall &ready) -> PyObject * {
    uint32_t variant = 0;
    tilec_status status = findCode(ready, variant);
    return status == TILEC_OK ? compiledKernel(self, state, ready, variant) : raiseStatus(status);
  });
}

/// _explain(args, kwargs, grid, options): the number of an explanation of such a launch.
static PyObject *explain(PyObject *self, PyObject *args) {
  Ref given(PyTuple_GetSlice(args, 0, 2));
  PyObject *grid = PyTuple_GetItem(args, 2), *options = grid ? PyTuple_GetItem(args, 3) : nullptr;
  if (!given || !options)
    return nullptr;
  return onReadyCall(self, given.get(), [&](KernelState &state, ReadyCall &ready) -> PyObject * {
    if (!readGrid(grid, state.signature, ready.bound, ready.call) ||
        !ready.arguments.haveMemory() || !findStream(self, ready.arguments, ready.call.stream))
      return nullptr;
    uint32_t variant = 0;
    tilec_status status = findCode(ready, variant);
    return status == TILEC_OK ? explainCall(ready.jit.get(), ready.call, options)
                              : raiseStatus(status);
  });
}

/// _handle_of(args, kwargs): the CUfunction of a call that was compiled; None on the simulator.
static PyObject *handleOfCall(PyObject *self, PyObject *args) {
  return onReadyCall(self, args, [](KernelState &, ReadyCall &ready) -> PyObject * {
    tilec_function *function = nullptr;
    tilec_function_info info = {};
    info.struct_size = sizeof info;
    tilec_status status = tilec_jit_get_function(ready.jit.get(), &ready.call, &function);
    if (status == TILEC_OK)
      status = tilec_function_get_info(function, &info);
    tilec_function_destroy(function);
    if (status != TILEC_OK)
      return raiseStatus(status);
    return info.handle ? PyLong_FromVoidPtr(info.handle) : Ref::borrow(Py_None).release();
  });
}

int KernelState::traverse(visitproc visit, void *arg) const {
  for (const Param &param : signature.params) {
    Py_VISIT(param.name.get());
    Py_VISIT(param.defaultValue.get());
  }
  Py_VISIT(classify.get());
  Py_VISIT(constants.get());
  for (const Opened &entry : opened)
    for (const Ref &kernel : entry.kernels)
      Py_VISIT(kernel.get());
  return watch.traverse(visit, arg);
}

static int traverseKernel(PyObject *self, visitproc visit, void *arg) {
  // Objects own their type, as it is no static one.
  Py_VISIT(reinterpret_cast<PyObject *>(Py_TYPE(self)));
  const KernelState *state = reinterpret_cast<KernelObject *>(self)->state;
  return state ? state->traverse(visit, arg) : 0;
}

/// Breaks cycles: a kernel is part of one through the variables that it watches and through what
/// its launches returned.
static int clearKernel(PyObject *self) {
  if (KernelState *state = reinterpret_cast<KernelObject *>(self)->state) {
    state->watch.clear();
    state->forget();
  }
  return 0;
}

static void deallocateKernel(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<KernelObject *>(self)->state;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject *>(type));
}

bool tilec::python::addKernelTypes(PyObject *module) {
  setupOptionNames();
  static PyMethodDef methods[] = {
      {"_setup", setup, METH_VARARGS, "The parameters and where to ask about values."},
      {"_watch", watch, METH_O, "Values of the program that the text has: a list of records."},
      {"_forget", forget, METH_NOARGS, "Drops the code for all devices."},
      {"_launch", launchMethod, METH_VARARGS, "Launches without hooks: (grid, args, kwargs)."},
      {"_launch_timeline", launchTimeline, METH_VARARGS,
       "Launches without hooks: (grid, args, kwargs, options): what it returns, a timeline."},
      {"_describe", describe, METH_VARARGS, "What tells the code of a call: (args, kwargs)."},
      {"_explain", explain, METH_VARARGS, "A report's handle: (args, kwargs, grid, options)."},
      {"_handle_of", handleOfCall, METH_VARARGS, "The driver's function: (args, kwargs)."},
      {"_warmup", warmup, METH_VARARGS, "Compiles and returns the kernel: (args, kwargs)."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot kernelSlots[] = {
      {Py_tp_doc, const_cast<char *>("A kernel, launched as kernel[grid](*args, **kwargs).")},
      {Py_tp_methods, methods},
      {Py_mp_subscript, reinterpret_cast<void *>(makeLaunch)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocateKernel)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseKernel)},
      {Py_tp_clear, reinterpret_cast<void *>(clearKernel)},
      {0, nullptr}};
  static PyType_Spec kernelSpec = {"tilec._native.Kernel", sizeof(KernelObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                   kernelSlots};
  Ref kernel(PyType_FromSpec(&kernelSpec));
  if (!kernel || PyModule_AddObject(module, "Kernel", kernel.get()) != 0)
    return false;
  kernel.release();
  return addLaunchType(module);
}
