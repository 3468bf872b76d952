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
// tilec::TensorDescriptor, whose block and divisibility are part of the kind. All of that is a
// tilec_jit with a signature (tilec/jit.h): here are the types.

#ifndef TILEC_TYPED_HPP
#define TILEC_TYPED_HPP

#include "tilec/device.hpp"

#include <fstream>
#include <iterator>

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

template <typename T> struct ElementOf {
  using Type = std::remove_pointer_t<T>;
};
template <typename T, size_t Rank> struct ElementOf<TensorDescriptor<T, Rank>> {
  using Type = T;
};

/// The type of a parameter as tilec_jit_options.signature has it.
template <typename Param> std::string signatureOf() {
  using Element = typename ElementOf<Param>::Type;
  static_assert(!std::is_void_v<Element>, "a kernel's pointer has a type of element, not void");
  if constexpr (std::is_void_v<Element>)
    return {};
  else if constexpr (descriptorRank<Param> != 0)
    return "tensordesc<" + std::string(TypeName<std::remove_const_t<Element>>::value) + ">";
  else if constexpr (std::is_pointer_v<Param>)
    return (std::is_const_v<Element> ? "*k" : "*") +
           std::string(TypeName<std::remove_const_t<Element>>::value);
  else
    return TypeName<Param>::value;
}

/// Whether a type can be one of a signature: pointers, numbers, descriptors, and the plain types
/// that stand for short floats.
template <typename Param>
inline constexpr bool isParameter =
    std::is_pointer_v<Param> || std::is_arithmetic_v<Param> || descriptorRank<Param> != 0 ||
    (std::is_class_v<Param> && std::is_trivially_copyable_v<Param> && sizeof(Param) <= 2);

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

/// A value as calls have it; a descriptor is written to `next`.
template <typename Param>
tilec_call_value callValueOf(const Param &value, tilec_descriptor *&next) {
  tilec_call_value made = {};
  if constexpr (constexpr size_t rank = descriptorRank<Param>; rank != 0) {
    tilec_descriptor &descriptor = *next++;
    descriptor.data = const_cast<void *>(static_cast<const void *>(value.data));
    descriptor.rank = uint32_t(rank);
    descriptor.pads_with_nan = value.padsWithNan;
    for (size_t dim = 0; dim < rank; ++dim) {
      descriptor.shape[dim] = value.shape[dim];
      descriptor.strides[dim] = dim + 1 < rank ? value.strides[dim] : 1;
      descriptor.block[dim] = value.block[dim];
    }
    made.kind = TILEC_VALUE_DESCRIPTOR;
    made.value.descriptor = &descriptor;
  } else if constexpr (std::is_pointer_v<Param>) {
    made.kind = TILEC_VALUE_POINTER;
    made.value.pointer = value;
  } else if constexpr (std::is_integral_v<Param>) {
    made.kind = std::is_same_v<Param, bool> ? TILEC_VALUE_BOOL : TILEC_VALUE_INTEGER;
    made.value.integer = int64_t(value);
    if (std::is_unsigned_v<Param> && made.value.integer < 0)
      made.kind = TILEC_VALUE_UNSIGNED;
  } else {
    made.kind = TILEC_VALUE_BITS;
    std::memcpy(&made.value, &value, sizeof value);
  }
  return made;
}

/// The values of a call.
template <typename... Params> class CallValues {
public:
  explicit CallValues(const Params &...given) {
    tilec_descriptor *next = descriptors;
    tilec_call_value *to = values;
    ((*to++ = callValueOf(given, next)), ...);
  }
  CallValues(const CallValues &) = delete;
  CallValues &operator=(const CallValues &) = delete;

  const tilec_call_value *data() const { return values; }
  tilec_call call(const DeviceLaunch &launch) const {
    auto raw = sized<tilec_call>();
    raw.values = values;
    raw.num_values = sizeof...(Params);
    for (size_t axis = 0; axis < 3; ++axis) {
      raw.grid[axis] = launch.grid[axis];
      raw.cluster[axis] = launch.cluster[axis];
    }
    raw.flags = launch.flags;
    raw.stream = launch.stream;
    return raw;
  }

private:
  // One more: an array cannot be empty.
  tilec_call_value values[sizeof...(Params) + 1];
  tilec_descriptor descriptors[(size_t(descriptorRank<Params> != 0) + ... + 1)];
};

/// The kernel of a source with a signature, for TypedKernel.
inline tilec_status createJit(const Device &device, const Source &source, Options options,
                              const std::vector<std::string> &types, tilec_jit **jit) {
  std::vector<const char *> signature;
  for (const std::string &type : types)
    signature.push_back(type.c_str());
  signature.push_back(nullptr);
  auto raw = sized<tilec_jit_options>();
  raw.name = source.name.c_str();
  raw.text = source.code.data();
  raw.length = source.code.size();
  raw.signature = signature.data();
  raw.num_signature = types.size();
  options.arguments.clear();
  return withOptions(options, [&](const tilec_options *compile) {
    raw.options = compile;
    return tilec_jit_create(device.handle(), &raw, jit);
  });
}

} // namespace detail

template <typename Signature> class TypedPrepared;

/// A prepared launch of a typed kernel. The code is that for the first arguments: a later value
/// that it was not compiled for is refused.
template <typename... Params> class TypedPrepared<void(Params...)> {
public:
  TypedPrepared() = default;
  explicit TypedPrepared(PreparedLaunch packed) : prepared(std::move(packed)) {}

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
    const detail::CallValues<Param> value(detail::parameterOf<Param>(argument));
    return detail::statusOf(tilec_prepared_set_value(prepared.handle(), Index, value.data()));
  }
  Status setGrid(std::array<uint32_t, 3> grid) const { return prepared.setGrid(grid); }
  Status launch(void *stream = nullptr) const { return prepared.launch(stream); }

private:
  PreparedLaunch prepared;
};

template <typename Signature> class TypedKernel;

/// A kernel that is called like a function. Copies share what was compiled.
template <typename... Params> class TypedKernel<void(Params...)> {
  static_assert((detail::isParameter<Params> && ...),
                "a kernel's parameter is a pointer, a number, a 16-bit float or a "
                "tilec::TensorDescriptor");

public:
  TypedKernel() = default;
  /// Of the options, the kernel, the constants and how to compile count; the types of arguments and
  /// the target come from the signature and the device.
  TypedKernel(const Device &device, const Source &source, const Options &options = {})
      : made(device ? source.status : device.status()) {
    tilec_jit *jit = nullptr;
    if (made)
      made = detail::statusOf(
          detail::createJit(device, source, options, {detail::signatureOf<Params>()...}, &jit));
    own(jit, device);
  }
  /// Takes a handle over that has this signature.
  TypedKernel(const Device &device, tilec_jit *jit) : made() { own(jit, device); }

  /// Whether the kernel exists and takes what the signature says.
  explicit operator bool() const { return owned != nullptr; }
  const Status &status() const { return made; }
  tilec_jit *handle() const { return owned.get(); }

  /// Queues a launch, after compiling if such arguments come for the first time. An argument is a
  /// number, a device pointer, a buffer or span of device memory, or a tensor descriptor.
  template <typename... Args>
  Status operator()(const DeviceLaunch &launch, const Args &...args) const {
    return call(launch, args...,
                [this](const tilec_call *raw) { return tilec_jit_launch(handle(), raw, nullptr); });
  }

  template <typename... Args>
  TypedPrepared<void(Params...)> prepare(const DeviceLaunch &launch, const Args &...args) const {
    tilec_prepared *prepared = nullptr;
    Status status = call(launch, args..., [&](const tilec_call *raw) {
      return tilec_jit_prepare(handle(), raw, &prepared);
    });
    return TypedPrepared<void(Params...)>(PreparedLaunch(prepared, std::move(status)));
  }

  /// Compiles for such arguments and launches nothing.
  template <typename... Args> Status compile(const Args &...args) const {
    uint32_t variant = 0;
    return call({}, args...,
                [&](const tilec_call *raw) { return tilec_jit_find(handle(), raw, &variant); });
  }
  /// How many kinds of arguments it was compiled for.
  size_t numVariants() const { return owned ? tilec_jit_num_variants(handle()) : 0; }

private:
  void own(tilec_jit *jit, const Device &device) {
    if (jit)
      owned.reset(jit, [device](tilec_jit *last) { tilec_jit_destroy(last); });
  }
  /// The last one of the arguments is what to do.
  template <typename... ArgsAndUse>
  Status call(const DeviceLaunch &launch, const ArgsAndUse &...rest) const {
    static_assert(sizeof...(ArgsAndUse) == sizeof...(Params) + 1,
                  "another number of arguments than the kernel's signature has");
    return call(launch, std::index_sequence_for<Params...>(), std::tie(rest...));
  }
  template <size_t... I, typename All>
  Status call(const DeviceLaunch &launch, std::index_sequence<I...>, const All &all) const {
    if (!owned)
      return made;
    const detail::CallValues<Params...> values(detail::parameterOf<Params>(std::get<I>(all))...);
    const tilec_call raw = values.call(launch);
    return detail::statusOf(std::get<sizeof...(Params)>(all)(&raw));
  }

  std::shared_ptr<tilec_jit> owned;
  Status made = {TILEC_INVALID_ARGUMENT, "no kernel was named"};
};

} // namespace v0
} // namespace tilec

#endif // TILEC_TYPED_HPP
