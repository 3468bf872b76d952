// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module tilec._native: libtilec's C interface for the Python package. Handles are integers;
// a call that fails raises what tilec.errors makes of its status and message.

#include "Explain.h"
#include "Forking.h"
#include "Kernel.h"
#include "Memory.h"
#include "Options.h"
#include "Simulation.h"
#include "Timeline.h"

#include <memory>
#include <new>
#include <vector>

using namespace tilec::python;

/// A new reference to None.
static PyObject *none() {
  Py_INCREF(Py_None);
  return Py_None;
}

static PyObject *textOrNone(const char *text, size_t size) {
  return text ? PyUnicode_DecodeUTF8(text, Py_ssize_t(size), "replace") : none();
}

//===----------------------------------------------------------------------------------===//
// Devices and caches
//===----------------------------------------------------------------------------------===//

/// device_open(name, check, threads)
static PyObject *deviceOpen(PyObject *, PyObject *args) {
  const char *name = nullptr;
  int check = 0;
  unsigned threads = 0;
  if (!PyArg_ParseTuple(args, "spI", &name, &check, &threads))
    return nullptr;
  tilec_device_options options = {};
  options.struct_size = sizeof options;
  options.simulate_flags = check ? TILEC_SIMULATE_CHECK : 0;
  options.host_threads = threads;
  options.event = Simulation::tell;
  tilec_device *device = nullptr;
  tilec_status status = TILEC_OK;
  {
    WithoutGil unlocked;
    status = tilec_device_open(name, &options, &device);
  }
  return status == TILEC_OK ? numberOf(device) : raiseStatus(status);
}

/// device_info(device): (name, target, major, minor, multiprocessors, shared bytes, bytes)
static PyObject *deviceInfo(PyObject *, PyObject *number) {
  tilec_device_info info = {};
  info.struct_size = sizeof info;
  if (tilec_status status = tilec_device_get_info(handleOf<tilec_device>(number), &info))
    return raiseStatus(status);
  return Py_BuildValue("(ssiiIIK)", info.name, info.target, int(info.compute_major),
                       int(info.compute_minor), info.multiprocessors, info.shared_bytes,
                       static_cast<unsigned long long>(info.memory_bytes));
}

/// device_count(): CUDA devices; 0 without a driver.
static PyObject *deviceCount(PyObject *, PyObject *) {
  size_t count = 0;
  tilec_status status = TILEC_OK;
  {
    WithoutGil unlocked;
    status = tilec_device_count(nullptr, &count);
  }
  return PyLong_FromSize_t(status == TILEC_OK ? count : 0);
}

static PyObject *deviceSynchronize(PyObject *, PyObject *number) {
  auto *device = handleOf<tilec_device>(number);
  tilec_status status = TILEC_OK;
  {
    WithoutGil unlocked;
    status = tilec_device_synchronize(device);
  }
  return status == TILEC_OK ? none() : raiseStatus(status);
}

/// cache_open(folder, disk limit, shared)
static PyObject *cacheOpen(PyObject *, PyObject *args) {
  const char *folder = nullptr, *shared = nullptr;
  unsigned long long limit = 0;
  if (!PyArg_ParseTuple(args, "zKz", &folder, &limit, &shared))
    return nullptr;
  tilec_cache_options options = {};
  options.struct_size = sizeof options;
  options.folder = folder;
  options.disk_limit = limit;
  options.shared = shared;
  tilec_cache *cache = nullptr;
  tilec_status status = tilec_cache_open(&options, &cache);
  // Levels that cannot be had are no reason not to compile.
  return status == TILEC_OK || cache ? numberOf(cache) : raiseStatus(status);
}

/// cache_statistics(cache): (memory hits, disk hits, shared hits, stores)
static PyObject *cacheStatistics(PyObject *, PyObject *number) {
  tilec_cache_statistics statistics = {};
  statistics.struct_size = sizeof statistics;
  if (tilec_status status = tilec_cache_get_statistics(handleOf<tilec_cache>(number), &statistics))
    return raiseStatus(status);
  return Py_BuildValue("(KKKK)", static_cast<unsigned long long>(statistics.memory_hits),
                       static_cast<unsigned long long>(statistics.disk_hits),
                       static_cast<unsigned long long>(statistics.shared_hits),
                       static_cast<unsigned long long>(statistics.stores));
}

//===----------------------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------------------===//

/// tilec_jit_options.compiled: tells the Python kernel.
static void tellCompiled(void *context, const tilec_jit_event *event) {
  WithGil locked;
  auto *kernel = static_cast<PyObject *>(context);
  tilec_kernel_info info = {};
  info.struct_size = sizeof info;
  bool isMade = event->kernel && tilec_kernel_get_info(event->kernel, &info) == TILEC_OK;
  Ref messages(
      textOrNone(tilec_diagnostics_text(event->diagnostics),
                 std::char_traits<char>::length(tilec_diagnostics_text(event->diagnostics))));
  Ref answer(messages
                 ? PyObject_CallMethod(kernel, "_on_compiled", "(OOdizzii)",
                                       isMade ? Py_True : Py_False, messages.get(), event->seconds,
                                       int(event->from_cache), isMade ? info.name : nullptr,
                                       describeLaunch(), int(info.num_warps), int(info.num_stages))
                 : nullptr);
  if (!answer)
    PyErr_WriteUnraisable(kernel);
}

/// jit_create(kernel, device or 0, name, text, options)
static PyObject *jitCreate(PyObject *, PyObject *args) {
  PyObject *kernel = nullptr, *device = nullptr, *dict = nullptr;
  const char *name = nullptr, *text = nullptr;
  Py_ssize_t length = 0;
  if (!PyArg_ParseTuple(args, "OOss#O", &kernel, &device, &name, &text, &length, &dict))
    return nullptr;
  Options options;
  if (!options.read(dict))
    return nullptr;
  tilec_jit_options all = {};
  all.struct_size = sizeof all;
  all.name = name;
  all.text = text;
  all.length = size_t(length);
  all.options = &options.raw;
  all.parameters = options.parameters.data();
  all.num_parameters = options.parameters.size();
  all.unspecialized = options.unspecialized.data();
  all.num_unspecialized = options.unspecialized.size();
  all.unaligned = options.unaligned.data();
  all.num_unaligned = options.unaligned.size();
  all.compiled = tellCompiled;
  // A borrowed reference: the kernel is there while it is launched.
  all.context = kernel;
  tilec_jit *jit = nullptr;
  tilec_status status = tilec_jit_create(handleOf<tilec_device>(device), &all, &jit);
  return status == TILEC_OK ? numberOf(jit) : raiseStatus(status);
}

/// compile_text(name, text, options): (kernel, messages)
static PyObject *compileText(PyObject *, PyObject *args) {
  PyObject *dict = nullptr;
  const char *name = nullptr, *text = nullptr;
  Py_ssize_t length = 0;
  if (!PyArg_ParseTuple(args, "ss#O", &name, &text, &length, &dict))
    return nullptr;
  Options options;
  if (!options.read(dict))
    return nullptr;
  tilec_compiler *compiler = nullptr;
  if (tilec_status status = tilec_compiler_create(&compiler))
    return raiseStatus(status);
  tilec_kernel *kernel = nullptr;
  tilec_diagnostics *diagnostics = nullptr;
  tilec_status status = TILEC_OK;
  {
    LibraryCall unlocked;
    status = tilec_compile_text(compiler, name, text, size_t(length), &options.raw, &kernel,
                                &diagnostics);
  }
  const char *messages = tilec_diagnostics_text(diagnostics);
  Ref result;
  if (kernel)
    result = Ref(Py_BuildValue("(Ns)", numberOf(kernel), messages ? messages : ""));
  else
    raiseStatus(status);
  tilec_diagnostics_destroy(diagnostics);
  tilec_compiler_destroy(compiler);
  return result.release();
}

static PyObject *kernelDestroy(PyObject *, PyObject *number) {
  tilec_kernel_destroy(handleOf<tilec_kernel>(number));
  return none();
}

static PyObject *kernelMetadata(PyObject *, PyObject *number) {
  const char *text = tilec_kernel_metadata(handleOf<tilec_kernel>(number));
  return text ? PyUnicode_FromString(text) : raiseStatus(TILEC_INVALID_ARGUMENT);
}

static PyObject *kernelPtx(PyObject *, PyObject *number) {
  const char *text = tilec_kernel_ptx(handleOf<tilec_kernel>(number));
  return text ? PyUnicode_FromString(text) : none();
}

static PyObject *kernelCubin(PyObject *, PyObject *number) {
  size_t size = 0;
  const void *bytes = tilec_kernel_cubin(handleOf<tilec_kernel>(number), &size);
  return bytes ? PyBytes_FromStringAndSize(static_cast<const char *>(bytes), Py_ssize_t(size))
               : none();
}

/// kernel_stage(kernel, stage)
static PyObject *kernelStage(PyObject *, PyObject *args) {
  PyObject *number = nullptr;
  unsigned stage = 0;
  if (!PyArg_ParseTuple(args, "OI", &number, &stage))
    return nullptr;
  size_t size = 0;
  const char *text = tilec_kernel_stage(handleOf<tilec_kernel>(number), tilec_stage(stage), &size);
  return textOrNone(text, size);
}

/// function_info(device, kernel): (registers, local bytes, programs of a multiprocessor)
static PyObject *functionInfo(PyObject *, PyObject *args) {
  PyObject *device = nullptr, *kernel = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &device, &kernel))
    return nullptr;
  tilec_function *function = nullptr;
  tilec_function_info info = {};
  info.struct_size = sizeof info;
  tilec_status status = tilec_function_load(handleOf<tilec_device>(device),
                                            handleOf<tilec_kernel>(kernel), &function);
  if (status == TILEC_OK)
    status = tilec_function_get_info(function, &info);
  tilec_function_destroy(function);
  if (status != TILEC_OK)
    return raiseStatus(status);
  return Py_BuildValue("(iii)", int(info.registers), int(info.local_bytes),
                       int(info.programs_per_multiprocessor));
}

//===----------------------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------------------===//

/// plan_product(m, n, k, bits, a by columns, b by columns, own order, target, multiprocessors,
/// most)
static PyObject *planProduct(PyObject *, PyObject *args) {
  tilec_product product = {};
  product.struct_size = sizeof product;
  long long m = 0, n = 0, k = 0;
  int bits = 0, aByColumns = 0, bByColumns = 0, ownOrder = 0;
  Py_ssize_t most = 0;
  if (!PyArg_ParseTuple(args, "LLLipppzIn", &m, &n, &k, &bits, &aByColumns, &bByColumns, &ownOrder,
                        &product.target, &product.multiprocessors, &most))
    return nullptr;
  product.m = m;
  product.n = n;
  product.k = k;
  product.element_bits = bits;
  product.a_by_columns = aByColumns;
  product.b_by_columns = bByColumns;
  product.has_own_order = ownOrder;
  tilec_product_plan empty = {};
  empty.struct_size = sizeof empty;
  std::vector<tilec_product_plan> plans(size_t(most), empty);
  size_t count = 0;
  if (tilec_status status = tilec_plan_product(&product, plans.size(), plans.data(), &count))
    return raiseStatus(status);
  Ref list(PyList_New(0));
  for (size_t i = 0; list && i < count; ++i) {
    const tilec_product_plan &plan = plans[i];
    Ref row(Py_BuildValue(
        "(LLLiiiiid)", static_cast<long long>(plan.block_m), static_cast<long long>(plan.block_n),
        static_cast<long long>(plan.block_k), int(plan.group_m), int(plan.num_warps),
        int(plan.num_stages), int(plan.num_ctas), int(plan.split_k), plan.microseconds));
    if (!row || PyList_Append(list.get(), row.get()) != 0)
      return nullptr;
  }
  return list.release();
}

//===----------------------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------------------===//

/// bundle_read(bytes)
static PyObject *bundleRead(PyObject *, PyObject *bytes) {
  char *data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes, &data, &size) != 0)
    return nullptr;
  tilec_bundle *bundle = nullptr;
  tilec_status status = TILEC_OK;
  {
    WithoutGil unlocked;
    status = tilec_bundle_read(data, size_t(size), &bundle);
  }
  return status == TILEC_OK ? numberOf(bundle) : raiseStatus(status);
}

static PyObject *bundleDestroy(PyObject *, PyObject *number) {
  tilec_bundle_destroy(handleOf<tilec_bundle>(number));
  return none();
}

static PyObject *bundleDescribe(PyObject *, PyObject *number) {
  const char *text = tilec_bundle_describe(handleOf<tilec_bundle>(number));
  return text ? PyUnicode_FromString(text) : raiseStatus(TILEC_INVALID_ARGUMENT);
}

/// bundle_jit(bundle, kernel, device)
static PyObject *bundleJit(PyObject *, PyObject *args) {
  PyObject *bundle = nullptr, *device = nullptr;
  const char *kernel = nullptr;
  if (!PyArg_ParseTuple(args, "OsO", &bundle, &kernel, &device))
    return nullptr;
  tilec_jit *jit = nullptr;
  tilec_status status = tilec_bundle_create_jit(handleOf<tilec_bundle>(bundle), kernel,
                                                handleOf<tilec_device>(device), &jit);
  return status == TILEC_OK ? numberOf(jit) : raiseStatus(status);
}

//===----------------------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------------------===//

static PyObject *constant(PyObject *, PyObject *text) {
  const char *bytes = PyUnicode_AsUTF8AndSize(text, nullptr);
  return bytes ? PyLong_FromUnsignedLongLong(tilec_constant(bytes)) : nullptr;
}

static PyObject *typeOfName(PyObject *, PyObject *name) {
  const char *text = PyUnicode_AsUTF8AndSize(name, nullptr);
  return text ? PyLong_FromLong(tilec_type_of(text)) : nullptr;
}

static PyObject *version(PyObject *, PyObject *) { return PyUnicode_FromString(tilec_version()); }

static PyObject *buildId(PyObject *, PyObject *) { return PyUnicode_FromString(tilec_build_id()); }

static PyObject *forgetAll(PyObject *, PyObject *) {
  forgetOpened();
  return none();
}

static PyObject *setHookedFlag(PyObject *, PyObject *flag) {
  setHooked(PyObject_IsTrue(flag) == 1);
  return none();
}

static PyObject *setCheckedFlag(PyObject *, PyObject *flag) {
  setChecked(PyObject_IsTrue(flag) == 1);
  return none();
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "The library's version."},
    {"build_id", buildId, METH_NOARGS, "What tells the library's builds apart."},
    {"device_open", deviceOpen, METH_VARARGS, "(name, check, threads): a device's handle."},
    {"device_info", deviceInfo, METH_O,
     "(name, target, major, minor, multiprocessors, shared bytes, bytes)."},
    {"device_count", deviceCount, METH_NOARGS, "The number of CUDA devices."},
    {"device_synchronize", deviceSynchronize, METH_O, "Waits for all work of a device."},
    {"cache_open", cacheOpen, METH_VARARGS, "(folder, disk limit, shared): a cache's handle."},
    {"cache_statistics", cacheStatistics, METH_O, "(memory hits, disk hits, shared hits, stores)."},
    {"jit_create", jitCreate, METH_VARARGS, "(kernel, device, name, text, options): a handle."},
    {"compile_text", compileText, METH_VARARGS, "(name, text, options): (kernel, messages)."},
    {"kernel_destroy", kernelDestroy, METH_O, "Gives a kernel's handle back."},
    {"kernel_metadata", kernelMetadata, METH_O, "What is known of a kernel, as JSON."},
    {"kernel_ptx", kernelPtx, METH_O, "PTX or None."},
    {"kernel_cubin", kernelCubin, METH_O, "The cubin or None."},
    {"kernel_stage", kernelStage, METH_VARARGS, "(kernel, stage): the text of a kept stage."},
    {"function_info", functionInfo, METH_VARARGS,
     "(device, kernel): (registers, local bytes, programs of a multiprocessor)."},
    {"plan_product", planProduct, METH_VARARGS,
     "(m, n, k, bits, a by columns, b by columns, own order, target, multiprocessors, most): "
     "tuples."},
    {"bundle_read", bundleRead, METH_O, "The handle of a bundle in bytes."},
    {"bundle_destroy", bundleDestroy, METH_O, "Gives a bundle's handle back."},
    {"bundle_describe", bundleDescribe, METH_O, "What a bundle has but the code, as JSON."},
    {"bundle_jit", bundleJit, METH_VARARGS, "(bundle, kernel, device): a handle."},
    {"constant", constant, METH_O, "The number of a constant's text."},
    {"type_of", typeOfName, METH_O, "The number of an element type; 0 for other names."},
    {"forget_opened", forgetAll, METH_NOARGS, "Makes kernels open their devices again."},
    {"set_hooked", setHookedFlag, METH_O, "Whether launches go through _run_hooked."},
    {"set_checked", setCheckedFlag, METH_O, "Whether the simulator checks, unless a launch says."},
    {nullptr, nullptr, 0, nullptr}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 "tilec._native",
                                 "libtilec's C interface for the package.",
                                 -1,
                                 functions,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

PyMODINIT_FUNC PyInit__native() {
  Ref module(PyModule_Create(&definition));
  if (!module || !addKernelTypes(module.get()) || !addMemoryFunctions(module.get()) ||
      !addExplainFunctions(module.get()) || !addTimelineFunctions(module.get()) ||
      !addForkFunctions(module.get()))
    return nullptr;
  return module.release();
}
