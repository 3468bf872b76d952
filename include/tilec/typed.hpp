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
// kind that was compiled before is found without a lock.

#ifndef TILEC_TYPED_HPP
#define TILEC_TYPED_HPP

#include "tilec/device.hpp"

#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>

namespace tilec {
inline namespace v0 {

/// Storage of the number formats that C++17 has no type for. A program's own types (__half, ...)
/// become known by specialising TypeName.
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
struct Float8E4M3 {
  uint8_t bits;
};
struct Float8E5M2 {
  uint8_t bits;
};

namespace detail {

template <typename T> constexpr const char *integerName() {
  constexpr size_t width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  constexpr const char *names[2][4] = {{"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}};
  return names[std::is_signed_v<T>][width];
}

} // namespace detail

/// The language's name of a C++ type.
template <typename T, typename = void> struct TypeName {
  static_assert(sizeof(T) == 0, "a type that no kernel argument has; specialise tilec::TypeName");
};
template <typename T> struct TypeName<T, std::enable_if_t<std::is_integral_v<T>>> {
  static constexpr const char *value = std::is_same_v<T, bool> ? "u1" : detail::integerName<T>();
};
template <> struct TypeName<float> {
  static constexpr const char *value = "fp32";
};
template <> struct TypeName<double> {
  static constexpr const char *value = "fp64";
};
template <> struct TypeName<Half> {
  static constexpr const char *value = "fp16";
};
template <> struct TypeName<BFloat16> {
  static constexpr const char *value = "bf16";
};
template <> struct TypeName<Float8E4M3> {
  static constexpr const char *value = "fp8e4nv";
};
template <> struct TypeName<Float8E5M2> {
  static constexpr const char *value = "fp8e5";
};

/// A kernel's text.
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

/// Compilers for the threads that compile at once, kept for the next ones.
class CompilerPool {
public:
  static CompilerPool &get() {
    static CompilerPool &pool = *new CompilerPool;
    return pool;
  }
  std::unique_ptr<Compiler> take() {
    std::lock_guard<std::mutex> lock(mutex);
    if (idle.empty())
      return std::make_unique<Compiler>();
    std::unique_ptr<Compiler> compiler = std::move(idle.back());
    idle.pop_back();
    return compiler;
  }
  void giveBack(std::unique_ptr<Compiler> compiler) {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(compiler));
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<Compiler>> idle;
};

/// What is known about the arguments of a call: of argument i, bit 2 * i says that it is a multiple
/// of 16, the bit after it that it is 1.
using Kind = uint64_t;
constexpr size_t maxTypedArguments = 32;

inline bool isOne(Kind kind, size_t argument) { return (kind >> (2 * argument + 1) & 1) != 0; }

/// The kernel compiled for one kind of arguments.
struct Variant {
  Kind kind = 0;
  Function function;
  Kernel kernel;
  Variant *next = nullptr;
};

/// What all copies of a typed kernel share; the template's part that does not depend on types.
class TypedKernelState {
public:
  TypedKernelState(const Device &on, Source given, Options wanted, std::vector<std::string> types)
      : device(on), source(std::move(given)), options(std::move(wanted)),
        typeNames(std::move(types)) {
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
  const Variant *find(Kind kind, Status &why) {
    std::atomic<Variant *> &bucket = buckets[(kind * 0x9e3779b97f4a7c15u) >> 60];
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
    if (!variant)
      return nullptr;
    variant->next = bucket.load(std::memory_order_relaxed);
    bucket.store(variant.get(), std::memory_order_release);
    ++count;
    return variant.release();
  }
  size_t numVariants() const { return count; }

private:
  static const Variant *search(const Variant *variant, Kind kind) {
    while (variant && variant->kind != kind)
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
    if (read)
      read = findParameters(handle);
    tilec_source_destroy(handle);
    return read;
  }
  Status findParameters(const tilec_source *handle) {
    std::string candidates;
    size_t found = SIZE_MAX, matches = 0;
    for (size_t i = 0; i < tilec_source_num_kernels(handle); ++i) {
      auto kernel = sized<tilec_source_kernel>();
      if (tilec_source_get_kernel(handle, i, &kernel) != TILEC_OK ||
          (options.kernel.empty() ? !kernel.is_entry : options.kernel != kernel.name))
        continue;
      found = i;
      ++matches;
      candidates += (candidates.empty() ? "'" : ", '") + std::string(kernel.name) + "'";
    }
    if (matches == 0)
      return {TILEC_INPUT_ERROR, "'" + source.name + "' has no kernel" +
                                     (options.kernel.empty() ? "" : " '" + options.kernel + "'")};
    if (matches > 1)
      return {TILEC_INPUT_ERROR, "'" + source.name + "' has several kernels: " + candidates +
                                     "; expected one in Options::kernel"};
    return readParameters(handle, found);
  }
  Status readParameters(const tilec_source *handle, size_t index) {
    auto kernel = sized<tilec_source_kernel>();
    tilec_source_get_kernel(handle, index, &kernel);
    options.kernel = kernel.name;
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
    if (typeNames.size() >= needed && typeNames.size() <= names.size())
      return {};
    return {TILEC_INVALID_ARGUMENT, "kernel '" + options.kernel + "' takes " +
                                        std::to_string(names.size()) + " arguments (" + all +
                                        "), the signature has " + std::to_string(typeNames.size())};
  }

  std::unique_ptr<Variant> compile(Kind kind, Status &why) const {
    Options wanted = options;
    if (wanted.target.empty())
      wanted.target = device.target();
    if (wanted.stopAfter == TILEC_STAGE_DEFAULT && !device.isSimulator())
      wanted.stopAfter = TILEC_STAGE_CUBIN;
    for (size_t i = 0; i < typeNames.size(); ++i) {
      if (isOne(kind, i))
        wanted.constants.emplace_back(names[i], "1");
      else
        wanted.arguments.emplace_back(names[i],
                                      typeNames[i] + ((kind >> (2 * i) & 1) != 0 ? ":16" : ""));
    }
    std::unique_ptr<Compiler> compiler = CompilerPool::get().take();
    Compilation compiled = compiler->compileText(source.name, source.code, wanted);
    CompilerPool::get().giveBack(std::move(compiler));
    // Without an assembler the driver compiles the PTX.
    if (!compiled) {
      why = {compiled.status, compiled.text.empty() ? compiled.message : compiled.text};
      return nullptr;
    }
    auto variant = std::make_unique<Variant>();
    variant->kind = kind;
    variant->function = Function::load(device, compiled.kernel);
    variant->kernel = std::move(compiled.kernel);
    if (variant->function)
      return variant;
    why = variant->function.status();
    return nullptr;
  }

  Device device;
  Source source;
  Options options;
  std::vector<std::string> typeNames;
  std::vector<std::string> names;
  Status made;
  std::mutex mutex;
  std::atomic<Variant *> buckets[16] = {};
  std::atomic<size_t> count{0};
};

/// The type of a parameter as a signature has it.
template <typename Param> std::string signatureText() {
  if constexpr (std::is_pointer_v<Param>) {
    using Element = std::remove_pointer_t<Param>;
    return (std::is_const_v<Element> ? "*k" : "*") +
           std::string(TypeName<std::remove_const_t<Element>>::value);
  } else {
    return TypeName<Param>::value;
  }
}

template <typename Param> Kind kindOf(const Param &value) {
  if constexpr (std::is_pointer_v<Param>)
    return (reinterpret_cast<uintptr_t>(value) & 15) == 0;
  else if constexpr (std::is_integral_v<Param> && !std::is_same_v<Param, bool>)
    return value == 1 ? 2 : (value & 15) == 0;
  else
    return 0;
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
  static_assert(FitsWithoutLoss<Param, Value>::value ||
                    (std::is_floating_point_v<Param> && std::is_floating_point_v<Value>),
                "an argument that may not fit its parameter: convert it");
  return static_cast<Param>(value);
}

} // namespace detail

template <typename Signature> class TypedPrepared;

/// A prepared launch of a typed kernel. The variant is the one for the first arguments: a later
/// value that it was not compiled for is refused.
template <typename... Params> class TypedPrepared<void(Params...)> {
public:
  TypedPrepared() = default;
  TypedPrepared(PreparedLaunch packed, detail::Kind compiledFor)
      : prepared(std::move(packed)), kind(compiledFor) {}

  explicit operator bool() const { return bool(prepared); }
  const Status &status() const { return prepared.status(); }
  /// Its arguments are numbered without those that were compiled in as 1.
  const PreparedLaunch &launchHandle() const { return prepared; }
  /// The launch without its types; this object is empty afterwards.
  PreparedLaunch take() { return std::move(prepared); }

  template <size_t Index, typename Arg> Status set(const Arg &argument) const {
    using Param = std::tuple_element_t<Index, std::tuple<Params...>>;
    Param value = detail::parameterOf<Param>(argument);
    size_t number = 0;
    for (size_t i = 0; i < Index; ++i)
      number += !detail::isOne(kind, i);
    if (!detail::isOne(kind, Index))
      return prepared.set(number, value);
    if (detail::kindOf(value) == 2)
      return {};
    return {TILEC_INVALID_ARGUMENT, "argument " + std::to_string(Index) +
                                        " was 1 when the launch was prepared, and is compiled in"};
  }
  Status setGrid(std::array<uint32_t, 3> grid) const { return prepared.setGrid(grid); }
  Status launch(void *stream = nullptr) const { return prepared.launch(stream); }

private:
  PreparedLaunch prepared;
  detail::Kind kind = 0;
};

template <typename Signature> class TypedKernel;

/// A kernel that is called like a function. Copies share what was compiled.
template <typename... Params> class TypedKernel<void(Params...)> {
  static_assert(sizeof...(Params) <= detail::maxTypedArguments, "at most 32 run-time arguments");
  static_assert(((std::is_pointer_v<Params> || std::is_arithmetic_v<Params>) && ...),
                "a kernel's parameter is a pointer or a number");

public:
  TypedKernel() = default;
  /// Of the options, the kernel, the constants and how to compile count; the types of arguments and
  /// the target come from the signature and the device.
  TypedKernel(const Device &device, Source source, Options options = {})
      : state(std::make_shared<detail::TypedKernelState>(
            device, std::move(source), std::move(options),
            std::vector<std::string>{detail::signatureText<Params>()...})) {}

  /// Whether the kernel exists and takes what the signature says.
  explicit operator bool() const { return state && state->status(); }
  Status status() const {
    return state ? state->status() : Status{TILEC_INVALID_ARGUMENT, "no kernel was named"};
  }

  /// Queues a launch, after compiling if such arguments come for the first time. An argument is a
  /// number, a device pointer, or a buffer or span of device memory.
  template <typename... Args>
  Status operator()(const DeviceLaunch &launch, const Args &...args) const {
    return call(launch, args..., [](const detail::Variant &variant, const auto *raw) {
      return tilec_function_launch(variant.function.handle(), raw);
    });
  }

  template <typename... Args>
  TypedPrepared<void(Params...)> prepare(const DeviceLaunch &launch, const Args &...args) const {
    tilec_prepared *prepared = nullptr;
    detail::Kind kind = 0;
    Status status = call(launch, args..., [&](const detail::Variant &variant, const auto *raw) {
      kind = variant.kind;
      return tilec_prepare(variant.function.handle(), raw, &prepared);
    });
    return {PreparedLaunch(prepared, std::move(status)), kind};
  }

  /// Compiles for such arguments and launches nothing.
  template <typename... Args> Status compile(const Args &...args) const {
    return call({}, args..., [](const detail::Variant &, const auto *) { return TILEC_OK; });
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
    detail::Kind kind = 0;
    ((kind |= detail::kindOf(std::get<I>(values)) << (2 * I)), ...);
    Status why;
    const detail::Variant *variant = state->find(kind, why);
    if (!variant)
      return why;
    tilec_value raw[sizeof...(Params) + 1];
    size_t count = 0;
    auto add = [&](size_t index, const void *data, size_t size) {
      if (!detail::isOne(kind, index))
        raw[count++] = {data, size};
    };
    (add(I, &std::get<I>(values), sizeof(Params)), ...);
    tilec_device_launch complete = detail::rawLaunch(launch, raw, count);
    return detail::statusOf(std::get<sizeof...(Params)>(all)(*variant, &complete));
  }

  std::shared_ptr<detail::TypedKernelState> state;
};

} // namespace v0
} // namespace tilec

#endif // TILEC_TYPED_HPP
