// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that specialise themselves, over the C interface.

#include "SourceJit.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::api;

static tilec_status invalid(std::string message) {
  return fail(TILEC_INVALID_ARGUMENT, std::move(message));
}

/// A call after its checks; nothing after a failure was kept.
static std::optional<tilec_call> readCall(const tilec_call *given) {
  if (!given) {
    invalid("call is null");
    return std::nullopt;
  }
  std::optional<tilec_call> call = readStruct(given, "call");
  constexpr uint32_t known =
      TILEC_LAUNCH_PROGRAMMATIC | TILEC_LAUNCH_COOPERATIVE | TILEC_LAUNCH_BUNDLED_GRID;
  if (call && (call->flags & ~known)) {
    invalid("call: unknown flags " + std::to_string(call->flags & ~known));
    return std::nullopt;
  }
  if (call && !call->buffers && call->num_buffers != 0) {
    invalid("call: buffers are null, their number is " + std::to_string(call->num_buffers));
    return std::nullopt;
  }
  return call;
}

/// Runs `use` on the object of a handle and a checked call.
template <typename Use>
static tilec_status onCall(tilec_jit *handle, const tilec_call *given, Use use) {
  return guarded([&] {
    Jits::Pin jit = Jits::get().pin(handle);
    if (!jit)
      return failHandle("tilec_jit");
    std::optional<tilec_call> call = readCall(given);
    return call ? use(*jit, *call) : TILEC_INVALID_ARGUMENT;
  });
}

tilec_status tilec_jit_create(tilec_device *device, const tilec_jit_options *options,
                              tilec_jit **jit) {
  return guarded([&] {
    if (!jit)
      return invalid("jit is null");
    *jit = nullptr;
    if (!options)
      return invalid("options are null");
    std::optional<tilec_jit_options> given = readStruct(options, "options");
    if (!given)
      return TILEC_INVALID_ARGUMENT;
    std::shared_ptr<RunDevice> target;
    if (device) {
      Devices::Pin pinned = Devices::get().pin(device);
      if (!pinned)
        return failHandle("tilec_device");
      target = pinned.shared();
    }
    auto object = std::make_shared<SourceJit>(std::move(target));
    if (tilec_status status = object->open(*given))
      return status;
    *jit = Jits::get().insert(std::move(object));
    return TILEC_OK;
  });
}

void tilec_jit_destroy(tilec_jit *jit) { Jits::get().erase(jit); }

tilec_status tilec_jit_launch(tilec_jit *jit, const tilec_call *call, uint32_t *variant) {
  return onCall(jit, call, [&](JitObject &object, const tilec_call &read) {
    const JitVariant *launched = nullptr;
    tilec_status status = object.launch(read, launched);
    if (variant && launched)
      *variant = launched->number;
    return status;
  });
}

tilec_status tilec_jit_find(tilec_jit *jit, const tilec_call *call, uint32_t *variant) {
  return onCall(jit, call, [&](JitObject &object, const tilec_call &read) {
    if (!variant)
      return invalid("variant is null");
    const JitVariant *found = nullptr;
    tilec_status status = object.find(read, found);
    if (status == TILEC_OK)
      *variant = found->number;
    return status;
  });
}

tilec_status tilec_jit_get_kernel(tilec_jit *jit, const tilec_call *call, tilec_kernel **kernel) {
  if (kernel)
    *kernel = nullptr;
  return onCall(jit, call, [&](JitObject &object, const tilec_call &read) {
    if (!kernel)
      return invalid("kernel is null");
    const JitVariant *variant = nullptr;
    tilec_status status = object.find(read, variant);
    if (status == TILEC_OK)
      *kernel = Kernels::get().insert(variant->kernel);
    return status;
  });
}

tilec_status tilec_jit_get_function(tilec_jit *jit, const tilec_call *call,
                                    tilec_function **function) {
  if (function)
    *function = nullptr;
  return onCall(jit, call, [&](JitObject &object, const tilec_call &read) {
    if (!function)
      return invalid("function is null");
    const JitVariant *variant = nullptr;
    tilec_status status = object.find(read, variant);
    if (status == TILEC_OK && !variant->function)
      return invalid("the kernel was made without a device: it is not loaded");
    if (status == TILEC_OK)
      *function = Functions::get().insert(variant->function);
    return status;
  });
}

const char *tilec_jit_describe(tilec_jit *jit, const tilec_call *call) {
  static thread_local std::string text;
  tilec_status status = onCall(jit, call, [&](JitObject &object, const tilec_call &read) {
    CodeOptions options;
    if (tilec_status failed = object.describe(read, options))
      return failed;
    llvm::json::Array arguments, constants;
    for (const ArgumentSpec &argument : options.arguments)
      arguments.push_back(llvm::json::Array{argument.name, argument.type});
    for (const ConstantSpec &constant : options.constants)
      constants.push_back(llvm::json::Array{constant.name, constant.value});
    llvm::json::Object all{{"arguments", std::move(arguments)},
                           {"constants", std::move(constants)}};
    text.clear();
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(all));
    return TILEC_OK;
  });
  return status == TILEC_OK ? text.c_str() : nullptr;
}

size_t tilec_jit_num_variants(const tilec_jit *jit) {
  Jits::Pin object = Jits::get().pin(jit);
  if (!object)
    failHandle("tilec_jit");
  return object ? object->numVariants() : 0;
}
