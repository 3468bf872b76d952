// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See JitObject.h.

#include "JitObject.h"

#include "tilecrt/TensorMapValues.h"

using namespace tilec;
using namespace tilec::api;
using llvm::ArrayRef;

JitObject::~JitObject() {
  for (std::atomic<JitVariant *> &bucket : buckets)
    for (JitVariant *variant = bucket.load(); variant;)
      delete std::exchange(variant, variant->next);
}

//===----------------------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------------------===//

/// Where three bits of a key's first word have the programs of a cluster, and three the CTAs of a
/// program.
static constexpr unsigned ctasShift = 29, splitShift = 26;
static constexpr uint64_t sizeBits = 7;

/// 0, not known yet, and the powers of two up to 8 in these bits.
static uint64_t sizeKey(int32_t size) {
  return size == 0 ? 0 : uint64_t(llvm::Log2_32(uint32_t(size))) + 1;
}

tilec_status JitObject::makeKey(const tilec_call &call, KindKey &key) const {
  if (!call.values && call.num_values != 0)
    return invalid("call: values are null, their number is " + std::to_string(call.num_values));
  key.push_back(uint64_t(uint8_t(call.num_warps)) | uint64_t(uint8_t(call.num_stages)) << 8 |
                uint64_t(call.max_registers & 0x3ff) << 16 |
                sizeKey(call.split_k ? call.split_k : defaultSplitK) << splitShift |
                sizeKey(call.num_ctas ? call.num_ctas : defaultCtas) << ctasShift |
                uint64_t(call.compile_flags) << 32);
  return readKind(parameters, ArrayRef(call.values, call.num_values), key);
}

const JitVariant *JitObject::search(const KindKey &key, size_t bucket) const {
  const JitVariant *variant = buckets[bucket].load(std::memory_order_acquire);
  while (variant && variant->key != key)
    variant = variant->next;
  return variant;
}

/// The list that a kind's code is in.
static size_t bucketOf(const KindKey &key, size_t count) {
  uint64_t hash = 0;
  for (uint64_t word : key)
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return size_t(hash >> 32) % count;
}

const JitVariant *JitObject::add(std::unique_ptr<JitVariant> variant) {
  std::atomic<JitVariant *> &bucket = buckets[bucketOf(variant->key, numBuckets)];
  variant->next = bucket.load(std::memory_order_relaxed);
  variant->number = uint32_t(count.load(std::memory_order_relaxed));
  bucket.store(variant.get(), std::memory_order_release);
  ++count;
  return variant.release();
}

tilec_status JitObject::adopt(const tilec_call &call, std::unique_ptr<JitVariant> variant) {
  if (tilec_status status = makeKey(call, variant->key))
    return status;
  add(std::move(variant));
  return TILEC_OK;
}

tilec_status JitObject::find(const tilec_call &call, const JitVariant *&variant) {
  tilec_status status = findKind(call, variant);
  return status == TILEC_OK ? fitMaps(call, variant) : status;
}

tilec_status JitObject::fitMaps(const tilec_call &call, const JitVariant *&variant) {
  const tilecrt::KernelMetadata &metadata = variant->kernel->kernel.metadata;
  if (!tilecrt::hasInferredMaps(metadata))
    return TILEC_OK;
  ArgumentReader reader(variant->sources.size());
  if (tilec_status status =
          reader.read(variant->sources, ArrayRef(call.values, call.num_values), metadata))
    return status;
  if (tilecrt::inferredMapsFit(metadata, reader.data()))
    return TILEC_OK;
  tilec_call without = call;
  without.compile_flags |= TILEC_COMPILE_NO_TENSOR_COPIES;
  const JitVariant *other = nullptr;
  tilec_status status = findKind(without, other);
  if (status == TILEC_OK)
    variant = other;
  // What a bundle lacks is for the launch to say.
  return asSource() ? status : TILEC_OK;
}

/// Whether the code's clusters, if it has any, are those of a call's launch. The grid of a bundle
/// is not known yet.
static bool clustersFit(const tilec_call &call, const tilecrt::KernelMetadata &metadata) {
  if (metadata.clusterX <= 1)
    return true;
  if (call.cluster[0] | call.cluster[1] | call.cluster[2])
    return call.cluster[0] == metadata.clusterX && call.cluster[1] == metadata.clusterY &&
           call.cluster[2] == metadata.clusterZ;
  return (call.flags & TILEC_LAUNCH_BUNDLED_GRID) ||
         tilecrt::hasWholeClusters(metadata, {call.grid[0], call.grid[1], call.grid[2]});
}

static constexpr uint32_t saysTurns = TILEC_COMPILE_PERSISTENT | TILEC_COMPILE_NO_PERSISTENT;

/// In a key's first word: code for more programs than run at once, where other code came first.
static constexpr uint64_t turnsBit = uint64_t(1) << 63;

bool JitObject::wantsTurns(const tilec_call &call) const {
  bool hasOwnClusters = call.cluster[0] | call.cluster[1] | call.cluster[2];
  if (!decidesTurns || (call.compile_flags & saysTurns) || !device || hasOwnClusters)
    return false;
  return tilecrt::takesSeveralTurns({call.grid[0], call.grid[1], call.grid[2]},
                                    device->info().concurrentCtas);
}

tilec_status JitObject::fitTurns(tilec_call &call, KindKey &key, const JitVariant *&variant) {
  if (!decidesTurns || (call.compile_flags & saysTurns))
    return TILEC_OK;
  bool wants = wantsTurns(call);
  bool fits =
      variant->kernel->kernel.metadata.isPersistent ? wants : !(wants && variant->gainsFromTurns);
  if (fits)
    return TILEC_OK;
  if (!wants)
    call.compile_flags |= TILEC_COMPILE_NO_PERSISTENT;
  key.front() |= wants ? turnsBit : uint64_t(TILEC_COMPILE_NO_PERSISTENT) << 32;
  return findOrMake(call, key, variant);
}

tilec_status JitObject::findKind(const tilec_call &given, const JitVariant *&variant) {
  KindKey key;
  if (tilec_status status = makeKey(given, key))
    return status;
  if (tilec_status status = findOrMake(given, key, variant))
    return status;
  tilec_call call = given;
  if (tilec_status status = fitTurns(call, key, variant))
    return status;
  return clustersFit(call, variant->kernel->kernel.metadata) ? TILEC_OK
                                                             : withoutClusters(call, key, variant);
}

tilec_status JitObject::withoutClusters(const tilec_call &call, KindKey &key,
                                        const JitVariant *&variant) {
  tilec_call alone = call;
  bool isSplit = variant->kernel->kernel.metadata.splitK > 1;
  (isSplit ? alone.split_k : alone.num_ctas) = 1;
  unsigned shift = isSplit ? splitShift : ctasShift;
  key.front() &= ~(sizeBits << shift);
  key.front() |= sizeKey(1) << shift;
  const JitVariant *other = nullptr;
  tilec_status status = findOrMake(alone, key, other);
  if (status == TILEC_OK)
    variant = other;
  // What a bundle lacks is for the launch to say.
  return asSource() ? status : TILEC_OK;
}

tilec_status JitObject::findOrMake(const tilec_call &call, const KindKey &key,
                                   const JitVariant *&variant) {
  size_t bucket = bucketOf(key, numBuckets);
  if ((variant = search(key, bucket)))
    return TILEC_OK;
  std::lock_guard<std::mutex> lock(mutex);
  if ((variant = search(key, bucket)))
    return TILEC_OK;
  if (auto refused = refusals.find(key); refused != refusals.end())
    return fail(TILEC_INPUT_ERROR, refused->second);
  auto made = std::make_unique<JitVariant>();
  made->key = key;
  if (tilec_status status = make(call, *made)) {
    if (status == TILEC_INPUT_ERROR)
      refusals.emplace(made->key, tilec_last_error());
    return status;
  }
  variant = add(std::move(made));
  return TILEC_OK;
}

//===----------------------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------------------===//

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
        return readInteger(request.arguments[i], argument.sizeBytes, argument.type.front() != 'u');
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

tilec_status tilec::api::readGrid(const tilec_call &call, const JitVariant &variant,
                                  LaunchRequest &request) {
  std::copy(call.grid, call.grid + 3, request.grid.begin());
  return call.flags & TILEC_LAUNCH_BUNDLED_GRID ? readBundledGrid(variant, request)
                                                : checkGrid(request.grid);
}

template <typename Use>
tilec_status JitObject::withRequest(const tilec_call &call, const JitVariant *&variant, Use use) {
  if (tilec_status status = findKind(call, variant))
    return status;
  tilec_status status = withRequest(call, *variant, use);
  if (status != TILEC_INVALID_ARGUMENT)
    return status;
  // A launch that was refused costs nothing: maps and a bundle's grid are looked at only then.
  std::string why = tilec_last_error();
  const JitVariant *refused = variant;
  if (tilec_status failed = fitMaps(call, variant))
    return failed;
  KindKey key;
  if (variant == refused && (call.flags & TILEC_LAUNCH_BUNDLED_GRID) &&
      makeKey(call, key) == TILEC_OK)
    withoutClusters(call, key, variant);
  return variant == refused ? fail(status, std::move(why)) : withRequest(call, *variant, use);
}

template <typename Use>
tilec_status JitObject::withRequest(const tilec_call &call, const JitVariant &variant, Use use) {
  if (!variant.function)
    return invalid("the kernel was made without a device: it can be compiled, not launched");
  ArgumentReader reader(variant.sources.size());
  if (tilec_status status = reader.read(variant.sources, ArrayRef(call.values, call.num_values),
                                        variant.kernel->kernel.metadata))
    return status;
  LaunchRequest request;
  setFlags(request, call.flags | variant.bundled.flags);
  request.cluster = variant.bundled.cluster;
  if (call.cluster[0] | call.cluster[1] | call.cluster[2])
    std::copy(call.cluster, call.cluster + 3, request.cluster.begin());
  request.arguments = reader.data();
  request.stream = call.stream;
  std::vector<tilecrt::sim::Buffer> buffers = listBuffers(call.buffers, call.num_buffers);
  request.buffers = buffers;
  if (tilec_status status = readGrid(call, variant, request))
    return status;
  return use(variant, request);
}

/// A grid that a bundle says may be nothing to do.
static bool isNothing(const LaunchRequest &request) { return llvm::is_contained(request.grid, 0u); }

tilec_status JitObject::launch(const tilec_call &call, const JitVariant *&variant) {
  return withRequest(call, variant, [](const JitVariant &code, const LaunchRequest &request) {
    return isNothing(request) ? TILEC_OK : done(code.function->launch(request));
  });
}

tilec_status JitObject::withLaunch(
    const tilec_call &call, const JitVariant *&variant,
    llvm::function_ref<tilec_status(const JitVariant &, const LaunchRequest &)> use) {
  return withRequest(call, variant, [&](const JitVariant &code, const LaunchRequest &request) {
    return isNothing(request) ? TILEC_OK : use(code, request);
  });
}

tilec_status JitObject::prepare(const tilec_call &call, PreparedObject &prepared) {
  const JitVariant *variant = nullptr;
  if (tilec_status status = find(call, variant))
    return status;
  return withRequest(call, *variant, [&](const JitVariant &code, const LaunchRequest &request) {
    if (tilec_status status = checkGrid(request.grid))
      return status;
    prepared.values = std::make_shared<PreparedValues>(shared_from_this(), code,
                                                       ArrayRef(call.values, call.num_values));
    return take(code.function->prepare(request), prepared.launch);
  });
}

//===----------------------------------------------------------------------------------===//
// Prepared launches
//===----------------------------------------------------------------------------------===//

PreparedValues::PreparedValues(std::shared_ptr<JitObject> jit, const JitVariant &code,
                               ArrayRef<tilec_call_value> given)
    : owner(std::move(jit)), variant(code), parameters(owner->getParameters()), kinds(given.size()),
      values(given) {
  for (auto [value, parameter, kind] : llvm::zip(values, parameters, kinds)) {
    // What the code knows of an argument's values is checked by the launch.
    parameter.isSpecialized = isConstant(parameter, value);
    hasTuples |= value.kind == TILEC_VALUE_TUPLE;
    if (!hasTuples)
      (void)readKind(parameter, value, kind);
  }
}

tilec_status PreparedValues::set(RunPrepared &launch, size_t index,
                                 const tilec_call_value &value) const {
  if (index >= kinds.size())
    return failIndex("value", index, kinds.size());
  if (hasTuples)
    return invalid("values of a prepared launch that has tuples cannot be set");
  KindKey kind;
  if (tilec_status status = readKind(parameters[index], value, kind))
    return status;
  if (kind != kinds[index]) {
    std::string why = "has another kind of value than the launch was prepared with";
    if (parameters[index].isSpecialized)
      why = "was " + literalOf(values[index]) + " when the launch was prepared, and is compiled in";
    else if (value.kind == TILEC_VALUE_DESCRIPTOR)
      why = "has another block than the launch was prepared with";
    return invalid("argument " + llvm::Twine(index) + " " + why);
  }
  const tilecrt::KernelMetadata &metadata = variant.kernel->kernel.metadata;
  ArrayRef<ArgumentSource> sources = variant.sources;
  size_t first =
      llvm::find_if(sources, [&](auto &one) { return one.value == index; }) - sources.begin();
  size_t end = first;
  ArgumentReader reader(sources.size());
  for (; end < sources.size() && sources[end].value == index; ++end)
    if (tilec_status status = reader.add(sources[end], value, metadata, end))
      return status;
  for (size_t i = first; i < end; ++i)
    if (tilec_status status =
            done(launch.setArgument(i, reader.data()[i - first], metadata.arguments[i].sizeBytes)))
      return status;
  return TILEC_OK;
}
