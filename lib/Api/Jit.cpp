// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that specialise themselves, over the C interface.

#include "SourceJit.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::api;

std::optional<tilec_call> tilec::api::readCall(const tilec_call *given) {
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
  if (call && (checkNumCtas("call", call->num_ctas) != TILEC_OK ||
               checkSplitK("call", call->num_ctas, call->split_k) != TILEC_OK))
    return std::nullopt;
  if (call && !call->buffers && call->num_buffers != 0) {
    invalid("call: buffers are null, their number is " + std::to_string(call->num_buffers));
    return std::nullopt;
  }
  return call;
}

tilec_status tilec::api::failUnknownSource(const std::string &kernel) {
  return invalid("the source of kernel '" + kernel +
                 "' is not known: it was loaded from an image, or from a bundle without sources");
}

/// Runs `use` on the object of a handle and a checked call.
template <typename Use>
static tilec_status onCall(tilec_jit *handle, const tilec_call *given, Use use) {
  return onHandle<Jits>(handle, [&](JitObject &jit) {
    std::optional<tilec_call> call = readCall(given);
    return call ? use(jit, *call) : TILEC_INVALID_ARGUMENT;
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
    std::shared_ptr<RunDevice> target = Devices::get().find(device);
    if (device && !target)
      return failHandle("tilec_device");
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

/// Writes to `result`, which is called `what`, what `use` makes of the code for a call's values.
template <typename T, typename Use>
static tilec_status onVariant(tilec_jit *jit, const tilec_call *call, T *result, const char *what,
                              Use use) {
  return onCall(jit, call, [&](JitObject &object, const tilec_call &read) {
    if (!result)
      return invalid(llvm::Twine(what) + " is null");
    const JitVariant *variant = nullptr;
    tilec_status status = object.find(read, variant);
    return status == TILEC_OK ? use(*variant) : status;
  });
}

tilec_status tilec_jit_find(tilec_jit *jit, const tilec_call *call, uint32_t *variant) {
  return onVariant(jit, call, variant, "variant", [&](const JitVariant &found) {
    *variant = found.number;
    return TILEC_OK;
  });
}

tilec_status tilec_jit_get_kernel(tilec_jit *jit, const tilec_call *call, tilec_kernel **kernel) {
  clear(kernel);
  return onVariant(jit, call, kernel, "kernel", [&](const JitVariant &variant) {
    *kernel = Kernels::get().insert(variant.kernel);
    return TILEC_OK;
  });
}

tilec_status tilec_jit_get_function(tilec_jit *jit, const tilec_call *call,
                                    tilec_function **function) {
  clear(function);
  return onVariant(jit, call, function, "function", [&](const JitVariant &variant) {
    if (!variant.function)
      return invalid("the kernel was made without a device: it is not loaded");
    *function = Functions::get().insert(variant.function);
    return TILEC_OK;
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

tilec_status tilec_jit_prepare(tilec_jit *jit, const tilec_call *call, tilec_prepared **prepared) {
  clear(prepared);
  return onCall(jit, call, [&](JitObject &object, const tilec_call &read) {
    if (!prepared)
      return invalid("prepared is null");
    auto packed = std::make_shared<PreparedObject>();
    tilec_status status = object.prepare(read, *packed);
    if (status == TILEC_OK)
      *prepared = PreparedLaunches::get().insert(std::move(packed));
    return status;
  });
}

tilec_status tilec_prepared_set_value(tilec_prepared *prepared, size_t index,
                                      const tilec_call_value *value) {
  return onHandle<PreparedLaunches>(prepared, [&](PreparedObject &object) {
    if (!value)
      return invalid("value is null");
    if (!object.values)
      return invalid("the launch was prepared with arguments, not with the values of a call");
    return object.values->set(*object.launch, index, *value);
  });
}

size_t tilec_jit_num_variants(const tilec_jit *jit) {
  return factOf<Jits>(jit, [](JitObject &object) { return object.numVariants(); });
}
