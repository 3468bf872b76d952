// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as C++ functions: the signature is checked by the C++ compiler, and the kernel is
// compiled when it is first called, once for each kind of arguments: which pointers and integers
// are multiples of 16, and which integers are 1 (those become constants), as Triton does.
//
//   tilec::Options options;
//   options.constants = {{"BLOCK", "1024"}};
//   tilec::TypedKernel<void(const float *, float *, int32_t, int32_t, int32_t)> softmax(
//       device, tilec::Source::file("softmax.tile"), options);
//   tilec::Status done = softmax({{rows, 1, 1}}, x, y, columns, columns, columns);
//
// The parameters of the C++ function stand for the kernel's parameters in order, without those that
// are tl.constexpr or given as constants. A typed kernel may be called by any number of threads; a
// kind that was compiled before is found without a lock. A tl.tensor_descriptor is a
// tilec::TensorDescriptor, whose block and divisibility are part of the kind.

#ifndef TILEC_TYPED_HPP
#define TILEC_TYPED_HPP

#include "tilec/device.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>

namespace tilec {
inline namespace v0 {

/// The source of a kernel.
struct Source {
  /// Stands for the file in messages.
  std::string name;
  std::string code;
  /// Whether a file could be read.
  Status status;

  static Source text(std::string name, std::string code) {
    return {std::move(name), std::move(code), {}};
  }
  static Source file(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    Source source = {path, std::string(std::istreambuf_iterator<char>(stream), {}), {}};
    if (!stream)
      source.status = {TILEC_INPUT_ERROR, "cannot read '" + path + "'"};
    return source;
  }
};

namespace detail {

/// What is known about the arguments of a call: of argument i, bit 2 * i says that it is a multiple
/// of 16 (of a descriptor that all sizes are), the bit after it that it is 1.
using KindBits = uint64_t;
constexpr size_t maxTypedArguments = 32;

inline bool isOne(KindBits bits, size_t argument) { return (bits >> (2 * argument + 1) & 1) != 0; }

/// That, and of each descriptor the sizes of the block and whether NaN is outside of the tensor.
struct Kind {
  KindBits bits = 0;
  const int32_t *blocks = nullptr;
  size_t numBlocks = 0;

  size_t bucket() const {
    uint64_t hash = bits * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < numBlocks; ++i)
      hash = (hash ^ uint32_t(blocks[i])) * 0x9e3779b97f4a7c15u;
    return hash >> 60;
  }
};

/// A parameter of a signature: the language's name of its type; of a descriptor that of the
/// elements, and the number of dimensions.
struct ParameterType {
  std::string name;
  size_t rank = 0;
};

/// The kernel compiled for one kind of arguments.
struct Variant {
  KindBits bits = 0;
  std::vector<int32_t> blocks;
  Function function;
  Kernel kernel;
  Variant *next = nullptr;
};

/// What all copies of a typed kernel share; the template's part that does not depend on types.
class TypedKernelState {
public:
  TypedKernelState(const Device &on, Source given, Options wanted,
                   std::vector<ParameterType> parameterTypes)
      : device(on), source(std::move(given)), options(std::move(wanted)),
        types(std::move(parameterTypes)) {
    made = !device ? device.status() : !source.status ? source.status : findParameters();
  }
  ~TypedKernelState() {
    for (std::atomic<Variant *> &bucket : buckets)
      for (Variant *variant = bucket.load(); variant;)
        delete std::exchange(variant, variant->next);
  }
  TypedKernelState(const TypedKernelState &) = delete;
  TypedKernelState &operator=(const TypedKernelState &) = delete;

  const Status &status() const { return made; }

  /// Null after a failure, which is in `why`.
  const Variant *find(const Kind &kind, Status &why) {
    std::atomic<Variant *> &bucket = buckets[kind.bucket()];
    if (const Variant *known = search(bucket.load(std::memory_order_acquire), kind))
      return known;
    if (!made) {
      why = made;
      return nullptr;
    }
    // One thread compiles; those that want the same kind find it afterwards.
    std::lock_guard<std::mutex> lock(mutex);
    if (const Variant *known = search(bucket.load(std::memory_order_acquire), kind))
      return known;
    std::unique_ptr<Variant> variant = compile(kind, why);
    return variant ? add(bucket, std::move(variant)) : nullptr;
  }
  size_t numVariants() const { return count; }

  const Source &getSource() const { return source; }
  const Options &getOptions() const { return options; }
  /// The parameters that the signature stands for, and those of them that `key` of
  /// @triton.autotune names.
  const std::vector<std::string> &getNames() const { return names; }
  const std::vector<std::string> &getAutotuneKey() const { return autotuneKey; }

  /// What is compiled for one kind of arguments.
  Options optionsFor(const Kind &kind) const {
    Options wanted = options;
    if (wanted.target.empty())
      wanted.target = device.target();
    if (wanted.stopAfter == TILEC_STAGE_DEFAULT && !device.isSimulator())
      wanted.stopAfter = TILEC_STAGE_CUBIN;
    wanted.arguments.clear();
    const int32_t *blocks = kind.blocks;
    for (size_t i = 0; i < types.size(); ++i) {
      if (isOne(kind.bits, i))
        wanted.constants.emplace_back(names[i], "1");
      else
        wanted.arguments.emplace_back(names[i],
                                      typeText(types[i], (kind.bits >> (2 * i) & 1) != 0, blocks));
    }
    return wanted;
  }
  /// Takes a kernel that was compiled already for one kind.
  Status adopt(const Kind &kind, Kernel kernel) {
    Status why;
    std::unique_ptr<Variant> variant = load(kind, std::move(kernel), why);
    if (!variant)
      return why;
    std::lock_guard<std::mutex> lock(mutex);
    add(buckets[kind.bucket()], std::move(variant));
    return {};
  }

private:
  const Variant *add(std::atomic<Variant *> &bucket, std::unique_ptr<Variant> variant) {
    variant->next = bucket.load(std::memory_order_relaxed);
    bucket.store(variant.get(), std::memory_order_release);
    ++count;
    return variant.release();
  }
  std::unique_ptr<Variant> load(const Kind &kind, Kernel kernel, Status &why) const {
    auto variant = std::make_unique<Variant>();
    variant->bits = kind.bits;
    variant->blocks.assign(kind.blocks, kind.blocks + kind.numBlocks);
    variant->function = Function::load(device, kernel);
    variant->kernel = std::move(kernel);
    if (variant->function)
      return variant;
    why = variant->function.status();
    return nullptr;
  }
  static bool isFor(const Variant &variant, const Kind &kind) {
    return variant.bits == kind.bits &&
           std::equal(variant.blocks.begin(), variant.blocks.end(), kind.blocks);
  }
  static const Variant *search(const Variant *variant, const Kind &kind) {
    while (variant && !isFor(*variant, kind))
      variant = variant->next;
    return variant;
  }

  bool isConstant(const std::string &name) const {
    for (const auto &constant : options.constants)
      if (constant.first == name)
        return true;
    return false;
  }

  /// Matches the signature with the kernel's parameters.
  Status findParameters() {
    tilec_source *handle = nullptr;
    tilec_diagnostics *diagnostics = nullptr;
    Status read = statusOf(tilec_source_text(source.name.c_str(), source.code.data(),
                                             source.code.size(), &handle, &diagnostics));
    if (!read && diagnostics)
      read.message = textOf(tilec_diagnostics_text(diagnostics));
    tilec_diagnostics_destroy(diagnostics);
    size_t index = 0;
    if (read)
      read = statusOf(tilec_source_find_kernel(handle, options.kernel.c_str(), &index));
    if (read)
      read = readParameters(handle, index);
    tilec_source_destroy(handle);
    return read;
  }
  Status readParameters(const tilec_source *handle, size_t index) {
    auto kernel = sized<tilec_source_kernel>();
    tilec_source_get_kernel(handle, index, &kernel);
    options.kernel = kernel.name;
    autotuneKey.assign(kernel.autotune_key, kernel.autotune_key + kernel.num_autotune_key);
    std::string all;
    size_t needed = 0;
    for (size_t i = 0; i < kernel.num_parameters; ++i) {
      auto parameter = sized<tilec_parameter>();
      if (tilec_source_get_parameter(handle, index, i, &parameter) != TILEC_OK ||
          parameter.kind == TILEC_PARAMETER_CONSTEXPR || isConstant(parameter.name))
        continue;
      names.push_back(parameter.name);
      all += (all.empty() ? "" : ", ") + names.back();
      if (!parameter.has_default)
        needed = names.size();
    }
    if (types.size() >= needed && types.size() <= names.size())
      return {};
    return {TILEC_INVALID_ARGUMENT, "kernel '" + options.kernel + "' takes " +
                                        std::to_string(names.size()) + " arguments (" + all +
                                        "), the signature has " + std::to_string(types.size())};
  }

  /// The type as the compiler takes it; `blocks` goes on to the next descriptor.
  static std::string typeText(const ParameterType &type, bool isDivisible, const int32_t *&blocks) {
    std::string text = type.name;
    if (type.rank != 0) {
      text = "tensordesc<" + type.name;
      for (size_t dim = 0; dim < type.rank; ++dim)
        text += (dim == 0 ? "[" : ", ") + std::to_string(*blocks++);
      text += *blocks++ != 0 ? "], nan>" : "]>";
    }
    return text + (isDivisible ? ":16" : "");
  }

  std::unique_ptr<Variant> compile(const Kind &kind, Status &why) const {
    // Never destroyed: threads may outlive the end of main.
    static Compiler &compiler = *new Compiler;
    Compilation compiled = compiler.compileText(source.name, source.code, optionsFor(kind));
    // Without an assembler the driver compiles the PTX.
    if (!compiled) {
      why = {compiled.status, compiled.text.empty() ? compiled.message : compiled.text};
      return nullptr;
    }
    return load(kind, std::move(compiled.kernel), why);
  }

  Device device;
  Source source;
  Options options;
  std::vector<ParameterType> types;
  std::vector<std::string> names, autotuneKey;
  Status made;
  std::mutex mutex;
  std::atomic<Variant *> buckets[16] = {};
  std::atomic<size_t> count{0};
};

template <typename T> struct ElementOf {
  using Type = std::remove_pointer_t<T>;
};
template <typename T, size_t Rank> struct ElementOf<TensorDescriptor<T, Rank>> {
  using Type = T;
};

template <typename Param> ParameterType parameterType() {
  using Element = typename ElementOf<Param>::Type;
  static_assert(!std::is_void_v<Element>, "a kernel's pointer has a type of element, not void");
  if constexpr (std::is_void_v<Element>)
    return {};
  else if constexpr (descriptorRank<Param> != 0)
    return {TypeName<std::remove_const_t<Element>>::value, descriptorRank<Param>};
  else if constexpr (std::is_pointer_v<Param>)
    return {(std::is_const_v<Element> ? "*k" : "*") +
            std::string(TypeName<std::remove_const_t<Element>>::value)};
  else
    return {TypeName<Param>::value};
}

/// Whether a type can be one of a signature: pointers, numbers, descriptors, and the plain types
/// that stand for short floats.
template <typename Param>
inline constexpr bool isParameter =
    std::is_pointer_v<Param> || std::is_arithmetic_v<Param> || descriptorRank<Param> != 0 ||
    (std::is_class_v<Param> && std::is_trivially_copyable_v<Param> && sizeof(Param) <= 2);

template <typename Param> KindBits kindOf(const Param &value) {
  if constexpr (descriptorRank<Param> != 0) {
    bool isDivisible = true;
    for (int32_t size : value.shape)
      isDivisible &= size % 16 == 0;
    return isDivisible;
  } else if constexpr (std::is_pointer_v<Param>)
    return (reinterpret_cast<uintptr_t>(value) & 15) == 0;
  else if constexpr (std::is_integral_v<Param> && !std::is_same_v<Param, bool>)
    return value == 1 ? 2 : (value & 15) == 0;
  else
    return 0;
}

/// Where the blocks of a parameter begin among those of all; of all parameters with Index as their
/// number the number of blocks.
template <size_t Index, typename... Params> constexpr size_t blocksBefore() {
  constexpr size_t counts[] = {(descriptorRank<Params> ? descriptorRank<Params> + 1 : 0)..., 0};
  size_t sum = 0;
  for (size_t i = 0; i < Index; ++i)
    sum += counts[i];
  return sum;
}

/// Writes the block of a descriptor; returns where the next one goes.
template <typename Param> int32_t *writeBlock(const Param &value, int32_t *to) {
  if constexpr (descriptorRank<Param> != 0) {
    to = std::copy(value.block.begin(), value.block.end(), to);
    *to++ = value.padsWithNan;
  }
  return to;
}

template <typename Param, typename Arg, typename = void>
struct FitsWithoutLoss : std::false_type {};
template <typename Param, typename Arg>
struct FitsWithoutLoss<Param, Arg, std::void_t<decltype(Param{std::declval<Arg>()})>>
    : std::true_type {};

/// The value of a parameter. Integers that could be cut off are refused, as in a braced list.
template <typename Param, typename Arg> Param parameterOf(const Arg &argument) {
  auto value = argumentOf(argument);
  using Value = decltype(value);
  static_assert(std::is_convertible_v<Value, Param>, "an argument of another type");
  static_assert(!std::is_convertible_v<Value, Param> || FitsWithoutLoss<Param, Value>::value ||
                    (std::is_floating_point_v<Param> && std::is_floating_point_v<Value>),
                "an argument that may not fit its parameter: convert it");
  return static_cast<Param>(value);
}

/// The arguments of a call: their kind, and where the values are that the library gets. The values
/// stay in the tuple, which has to outlive this.
template <typename... Params> class ArgumentPack {
public:
  explicit ArgumentPack(const std::tuple<Params...> &values)
      : ArgumentPack(values, std::index_sequence_for<Params...>()) {}
  ArgumentPack(const ArgumentPack &) = delete;
  ArgumentPack &operator=(const ArgumentPack &) = delete;

  Kind kind;
  tilec_value raw[(numValues<Params> + ... + 1)];
  size_t count = 0;

private:
  template <size_t... I>
  ArgumentPack(const std::tuple<Params...> &values, std::index_sequence<I...>) {
    ((kind.bits |= kindOf(std::get<I>(values)) << (2 * I)), ...);
    int32_t *end = blocks;
    ((end = writeBlock(std::get<I>(values), end)), ...);
    kind.blocks = blocks;
    kind.numBlocks = size_t(end - blocks);
    auto add = [&](const void *data, size_t size) { raw[count++] = {data, size}; };
    // What is 1 is a constant of the code.
    auto addAll = [&](size_t index, const auto &value) {
      if (!isOne(kind.bits, index))
        forEachValue(value, add);
    };
    (addAll(I, std::get<I>(values)), ...);
  }

  int32_t blocks[blocksBefore<sizeof...(Params), Params...>() + 1];
};

} // namespace detail

template <typename Signature> class TypedPrepared;

/// A prepared launch of a typed kernel. The variant is the one for the first arguments: a later
/// value that it was not compiled for is refused.
template <typename... Params> class TypedPrepared<void(Params...)> {
public:
  TypedPrepared() = default;
  TypedPrepared(PreparedLaunch packed, detail::KindBits compiledFor, std::vector<int32_t> sizes)
      : prepared(std::move(packed)), kind(compiledFor), blocks(std::move(sizes)) {}

  explicit operator bool() const { return bool(prepared); }
  const Status &status() const { return prepared.status(); }
  /// Its arguments are numbered without those that were compiled in as 1, and a descriptor is
  /// several.
  const PreparedLaunch &launchHandle() const { return prepared; }
  /// The launch without its types; this object is empty afterwards.
  PreparedLaunch take() { return std::move(prepared); }

  template <size_t Index, typename Arg> Status set(const Arg &argument) const {
    static_assert(Index < sizeof...(Params), "the kernel has no argument of that number");
    using Param = std::tuple_element_t<Index, std::tuple<Params...>>;
    Param value = detail::parameterOf<Param>(argument);
    const size_t counts[] = {detail::numValues<Params>...};
    size_t number = 0;
    for (size_t i = 0; i < Index; ++i)
      number += detail::isOne(kind, i) ? 0 : counts[i];
    if (detail::isOne(kind, Index))
      return detail::kindOf(value) == 2
                 ? Status()
                 : refuse(Index, "was 1 when the launch was prepared, and is compiled in");
    if constexpr (detail::descriptorRank<Param> != 0) {
      // All of it or nothing.
      int32_t block[detail::descriptorRank<Param> + 1];
      int32_t *end = detail::writeBlock(value, block);
      if (!std::equal(block, end, blocks.begin() + detail::blocksBefore<Index, Params...>()))
        return refuse(Index, "has another block than the launch was prepared with");
      if ((kind >> (2 * Index) & 1) != 0 && detail::kindOf(value) == 0)
        return refuse(Index, "was compiled for sizes that are multiples of 16");
      bool isAligned = reinterpret_cast<uintptr_t>(value.data) % 16 == 0;
      for (int64_t stride : value.strides)
        isAligned &= stride * int64_t(sizeof *value.data) % 16 == 0;
      if (!isAligned)
        return refuse(Index, "has an address or a stride that is not a multiple of 16 bytes");
    }
    return prepared.set(number, value);
  }
  Status setGrid(std::array<uint32_t, 3> grid) const { return prepared.setGrid(grid); }
  Status launch(void *stream = nullptr) const { return prepared.launch(stream); }

private:
  static Status refuse(size_t index, const char *why) {
    return {TILEC_INVALID_ARGUMENT, "argument " + std::to_string(index) + " " + why};
  }

  PreparedLaunch prepared;
  detail::KindBits kind = 0;
  std::vector<int32_t> blocks;
};

template <typename Signature> class TypedKernel;

/// A kernel that is called like a function. Copies share what was compiled.
template <typename... Params> class TypedKernel<void(Params...)> {
  static_assert(sizeof...(Params) <= detail::maxTypedArguments, "at most 32 run-time arguments");
  static_assert((detail::isParameter<Params> && ...),
                "a kernel's parameter is a pointer, a number, a 16-bit float or a "
                "tilec::TensorDescriptor");

public:
  TypedKernel() = default;
  /// Of the options, the kernel, the constants and how to compile count; the types of arguments and
  /// the target come from the signature and the device.
  TypedKernel(const Device &device, Source source, Options options = {})
      : state(std::make_shared<detail::TypedKernelState>(
            device, std::move(source), std::move(options),
            std::vector<detail::ParameterType>{detail::parameterType<Params>()...})) {}

  /// Whether the kernel exists and takes what the signature says.
  explicit operator bool() const { return state && state->status(); }
  Status status() const {
    return state ? state->status() : Status{TILEC_INVALID_ARGUMENT, "no kernel was named"};
  }

  /// Queues a launch, after compiling if such arguments come for the first time. An argument is a
  /// number, a device pointer, a buffer or span of device memory, or a tensor descriptor.
  template <typename... Args>
  Status operator()(const DeviceLaunch &launch, const Args &...args) const {
    return call(launch, args..., [](const detail::Variant &variant, const auto *raw) {
      return tilec_function_launch(variant.function.handle(), raw);
    });
  }

  template <typename... Args>
  TypedPrepared<void(Params...)> prepare(const DeviceLaunch &launch, const Args &...args) const {
    tilec_prepared *prepared = nullptr;
    detail::KindBits kind = 0;
    std::vector<int32_t> blocks;
    Status status = call(launch, args..., [&](const detail::Variant &variant, const auto *raw) {
      kind = variant.bits;
      blocks = variant.blocks;
      return tilec_prepare(variant.function.handle(), raw, &prepared);
    });
    return {PreparedLaunch(prepared, std::move(status)), kind, std::move(blocks)};
  }

  /// Compiles for such arguments and launches nothing.
  template <typename... Args> Status compile(const Args &...args) const {
    return call({}, args..., [](const detail::Variant &, const auto *) { return TILEC_OK; });
  }
  /// Takes a kernel that was compiled already, for one kind of arguments.
  Status adopt(const detail::Kind &kind, Kernel kernel) const {
    return state ? state->adopt(kind, std::move(kernel)) : status();
  }
  /// How many kinds of arguments it was compiled for.
  size_t numVariants() const { return state ? state->numVariants() : 0; }

private:
  /// The last one of the arguments is what to do.
  template <typename... ArgsAndUse>
  Status call(const DeviceLaunch &launch, const ArgsAndUse &...rest) const {
    static_assert(sizeof...(ArgsAndUse) == sizeof...(Params) + 1,
                  "another number of arguments than the kernel's signature has");
    return call(launch, std::index_sequence_for<Params...>(), std::tie(rest...));
  }
  template <size_t... I, typename All>
  Status call(const DeviceLaunch &launch, std::index_sequence<I...>, const All &all) const {
    if (!state)
      return status();
    const std::tuple<Params...> values(detail::parameterOf<Params>(std::get<I>(all))...);
    const detail::ArgumentPack<Params...> pack(values);
    Status why;
    const detail::Variant *variant = state->find(pack.kind, why);
    if (!variant)
      return why;
    tilec_device_launch complete = detail::rawLaunch(launch, pack.raw, pack.count);
    return detail::statusOf(std::get<sizeof...(Params)>(all)(*variant, &complete));
  }

  std::shared_ptr<detail::TypedKernelState> state;
};

} // namespace v0
} // namespace tilec

#endif // TILEC_TYPED_HPP
