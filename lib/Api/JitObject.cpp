// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See JitObject.h.

#include "JitObject.h"

#include "llvm/ADT/Hashing.h"

using namespace tilec;
using namespace tilec::api;
using llvm::ArrayRef;

static tilec_status invalid(std::string message) {
  return fail(TILEC_INVALID_ARGUMENT, std::move(message));
}

JitObject::~JitObject() {
  for (std::atomic<JitVariant *> &bucket : buckets)
    for (JitVariant *variant = bucket.load(); variant;)
      delete std::exchange(variant, variant->next);
}

//===----------------------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------------------===//

tilec_status JitObject::makeKey(const tilec_call &call, KindKey &key) const {
  if (!call.values && call.num_values != 0)
    return invalid("call: values are null, their number is " + std::to_string(call.num_values));
  key.push_back(uint64_t(uint8_t(call.num_warps)) | uint64_t(uint8_t(call.num_stages)) << 8 |
                uint64_t(uint16_t(call.max_registers)) << 16 | uint64_t(call.compile_flags) << 32);
  return readKind(parameters, ArrayRef(call.values, call.num_values), key);
}

const JitVariant *JitObject::search(const KindKey &key, size_t bucket) const {
  const JitVariant *variant = buckets[bucket].load(std::memory_order_acquire);
  while (variant && variant->key != key)
    variant = variant->next;
  return variant;
}

tilec_status JitObject::find(const tilec_call &call, const JitVariant *&variant) {
  KindKey key;
  if (tilec_status status = makeKey(call, key))
    return status;
  size_t bucket = size_t(llvm::hash_combine_range(key.begin(), key.end())) % numBuckets;
  if ((variant = search(key, bucket)))
    return TILEC_OK;
  std::lock_guard<std::mutex> lock(mutex);
  if ((variant = search(key, bucket)))
    return TILEC_OK;
  if (auto refused = refusals.find(key); refused != refusals.end())
    return fail(TILEC_INPUT_ERROR, refused->second);
  auto made = std::make_unique<JitVariant>();
  made->key = std::move(key);
  if (tilec_status status = make(call, *made)) {
    if (status == TILEC_INPUT_ERROR)
      refusals.emplace(made->key, tilec_last_error());
    return status;
  }
  made->next = buckets[bucket].load(std::memory_order_relaxed);
  made->number = uint32_t(count.load(std::memory_order_relaxed));
  variant = made.get();
  buckets[bucket].store(made.release(), std::memory_order_release);
  ++count;
  return TILEC_OK;
}

//===----------------------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------------------===//

/// The value of an integer argument in its own size.
static int64_t integerOf(const tilecrt::KernelArgument &argument, const void *value) {
  uint64_t bits = 0;
  std::memcpy(&bits, value, argument.sizeBytes);
  unsigned unused = 64 - 8 * argument.sizeBytes;
  bool isSigned = argument.type.front() != 'u';
  return isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
}

/// The grid that the bundle says, for the values of a launch.
static tilec_status readBundledGrid(const JitVariant &variant, LaunchRequest &request) {
  const tilecrt::KernelMetadata &metadata = variant.kernel->kernel.metadata;
  std::string kernel = "kernel '" + metadata.name + "'";
  const BundledLaunch &bundled = variant.bundled;
  if (bundled.grid.empty())
    return invalid(kernel + " has no grid of its own: the call has to give one");
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    for (const auto &[constant, value] : bundled.integers)
      if (constant == name)
        return value;
    for (size_t i = 0; i < metadata.arguments.size(); ++i)
      if (const tilecrt::KernelArgument &argument = metadata.arguments[i];
          argument.name == name && argument.kind == tilecrt::ArgumentKind::integer)
        return integerOf(argument, request.arguments[i]);
    return std::nullopt;
  };
  request.grid = {1, 1, 1};
  for (size_t axis = 0; axis < bundled.grid.size(); ++axis) {
    tilecrt::Result<int64_t> size = tilecrt::evaluate(bundled.grid[axis], lookup);
    if (!size.ok())
      return invalid(kernel + ": grid: " + size.message());
    if (*size < 0 || *size > INT32_MAX)
      return invalid(kernel + ": size " + std::to_string(axis) + " of the grid is " +
                     std::to_string(*size) + ", expected 0 to 2147483647");
    request.grid[axis] = uint32_t(*size);
  }
  return TILEC_OK;
}

tilec_status JitObject::launch(const tilec_call &call, const JitVariant *&variant) {
  if (tilec_status status = find(call, variant))
    return status;
  if (!variant->function)
    return invalid("the kernel was made without a device: it can be compiled, not launched");
  ArgumentReader reader;
  if (tilec_status status = reader.read(variant->sources, ArrayRef(call.values, call.num_values),
                                        variant->kernel->kernel.metadata))
    return status;
  LaunchRequest request;
  setFlags(request, call.flags | variant->bundled.flags);
  request.cluster = variant->bundled.cluster;
  request.arguments = reader.data();
  request.stream = call.stream;
  std::vector<tilecrt::sim::Buffer> buffers = listBuffers(call.buffers, call.num_buffers);
  request.buffers = buffers;
  if (call.flags & TILEC_LAUNCH_BUNDLED_GRID) {
    if (tilec_status status = readBundledGrid(*variant, request))
      return status;
    // There may be nothing to do.
    if (llvm::is_contained(request.grid, 0u))
      return TILEC_OK;
  } else {
    std::copy(call.grid, call.grid + 3, request.grid.begin());
    if (tilec_status status = checkGrid(request.grid))
      return status;
  }
  return done(variant->function->launch(request));
}
