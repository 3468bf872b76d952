// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of a compiled kernel.

#include "Objects.h"

using namespace tilec;
using namespace tilec::api;

KernelObject::KernelObject(std::shared_ptr<const CompiledKernel> compiled)
    : owner(std::move(compiled)), kernel(*owner), metadata(tilecrt::toJson(kernel.metadata)) {}

/// The bytes of a part, or null after the failure was kept that it is not there.
static const char *partOf(const KernelObject &object, const std::string *part, const char *what,
                          size_t *size) {
  bool exists = part && !part->empty();
  if (size)
    *size = exists ? part->size() : 0;
  if (exists)
    return part->data();
  guarded([&] {
    return fail(TILEC_INVALID_ARGUMENT, "kernel '" + object.kernel.metadata.name + "' has no " +
                                            what + ": not asked for, or not made");
  });
  return nullptr;
}

void tilec_kernel_destroy(tilec_kernel *kernel) { Kernels::get().erase(kernel); }

tilec_status tilec_kernel_get_info(const tilec_kernel *kernel, tilec_kernel_info *info) {
  return onHandle<Kernels>(kernel, [&](KernelObject &object) {
    const tilecrt::KernelMetadata &metadata = object.kernel.metadata;
    tilec_kernel_info result = {};
    result.name = metadata.name.c_str();
    result.target = metadata.target.c_str();
    result.num_warps = metadata.numWarps;
    result.num_stages = metadata.numStages;
    result.threads = metadata.threadsPerCta;
    result.dynamic_shared_bytes = metadata.dynamicSharedBytes;
    result.static_shared_bytes = metadata.staticSharedBytes;
    result.registers = metadata.registers;
    result.spill_bytes = metadata.spillBytes;
    result.num_arguments = metadata.arguments.size();
    result.num_ctas = metadata.clusterX / metadata.splitK;
    result.split_k = metadata.splitK;
    return writeStruct(result, info, "info");
  });
}

static_assert(int(tilecrt::ArgumentKind::pointer) == TILEC_ARGUMENT_POINTER &&
              int(tilecrt::ArgumentKind::integer) == TILEC_ARGUMENT_INTEGER &&
              int(tilecrt::ArgumentKind::floating) == TILEC_ARGUMENT_FLOAT);

tilec_status tilec_kernel_get_argument(const tilec_kernel *kernel, size_t index,
                                       tilec_argument *argument) {
  return onHandle<Kernels>(kernel, [&](KernelObject &object) {
    const auto &arguments = object.kernel.metadata.arguments;
    if (index >= arguments.size())
      return failIndex("argument", index, arguments.size());
    const tilecrt::KernelArgument &source = arguments[index];
    tilec_argument result = {};
    result.name = source.name.c_str();
    result.type = source.type.c_str();
    result.kind = tilec_argument_kind(source.kind);
    result.size_bytes = source.sizeBytes;
    result.divisibility = source.divisibility;
    result.is_const = source.isConst;
    return writeStruct(result, argument, "argument");
  });
}

const char *tilec_kernel_ptx(const tilec_kernel *kernel) {
  return factOf<Kernels>(kernel, [](KernelObject &object) {
    return partOf(object, &object.kernel.ptx, "PTX", nullptr);
  });
}

const void *tilec_kernel_cubin(const tilec_kernel *kernel, size_t *size) {
  if (size)
    *size = 0;
  return factOf<Kernels>(kernel, [&](KernelObject &object) {
    return partOf(object, &object.kernel.cubin, "cubin", size);
  });
}

const char *tilec_kernel_stage(const tilec_kernel *kernel, tilec_stage stage, size_t *size) {
  if (size)
    *size = 0;
  return factOf<Kernels>(kernel, [&](KernelObject &object) {
    const std::string *text = nullptr;
    if (stage >= TILEC_STAGE_AST && stage <= TILEC_STAGE_CUBIN) {
      auto found = object.kernel.stages.find(Stage(stage - TILEC_STAGE_AST));
      if (found != object.kernel.stages.end())
        text = &found->second;
    }
    return partOf(object, text, "text of this stage", size);
  });
}

const char *tilec_kernel_metadata(const tilec_kernel *kernel) {
  return factOf<Kernels>(kernel, [](KernelObject &object) { return object.metadata.c_str(); });
}
