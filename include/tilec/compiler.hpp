// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++17 over the compiling and simulating part of tilec.h: handles that destroy themselves, strings
// and vectors. It throws nothing of its own; every outcome has a status and a message.
//
//   tilec::Compiler compiler;
//   tilec::Options options;
//   options.target = "sim";
//   options.arguments = {{"x", "*fp32"}, {"n", "i32"}};
//   options.constants = {{"BLOCK", "128"}};
//   tilec::Compilation compiled = compiler.compileFile("scale.tile", options);
//   if (!compiled)
//     return report(compiled.text);
//   std::vector<float> x(1000, 1.0f);
//   tilec::Report result = compiled.kernel.simulate({{8, 1, 1}}, tilec::buffer(x), int32_t(1000));

#ifndef TILEC_COMPILER_HPP
#define TILEC_COMPILER_HPP

#include "tilec/status.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilec {
inline namespace v0 {

/// One message of a compilation; see tilec_diagnostic.
struct Diagnostic {
  tilec_severity severity = TILEC_SEVERITY_ERROR;
  std::string file;
  uint32_t line = 0, column = 0, endLine = 0, endColumn = 0;
  std::string message, category, rendered;
};

/// A cache of compiled kernels; see tilec_cache_options. Copies are the same cache.
class Cache {
public:
  /// None.
  Cache() = default;
  /// In memory, and in a folder and in a store that machines share unless those are empty.
  explicit Cache(const std::string &folder, const std::string &shared = "",
                 uint64_t diskLimit = 0) {
    auto raw = detail::sized<tilec_cache_options>();
    raw.folder = detail::textOrNull(folder);
    raw.shared = detail::textOrNull(shared);
    raw.disk_limit = diskLimit;
    tilec_cache *handle = nullptr;
    if (tilec_cache_open(&raw, &handle) != TILEC_OK)
      problem = tilec_last_error();
    if (handle)
      owned.reset(handle, tilec_cache_destroy);
  }

  explicit operator bool() const { return owned != nullptr; }
  tilec_cache *handle() const { return owned.get(); }
  /// Why a level could not be had; empty when all of them are there.
  const std::string &message() const { return problem; }
  /// All zero when there is no cache.
  tilec_cache_statistics statistics() const {
    auto result = detail::sized<tilec_cache_statistics>();
    tilec_cache_get_statistics(handle(), &result);
    return result;
  }

private:
  std::shared_ptr<tilec_cache> owned;
  std::string problem;
};

/// See tilec_options; what is left alone asks for the default.
struct Options {
  using Bindings = std::vector<std::pair<std::string, std::string>>;

  std::string kernel;
  std::string target;
  /// Parameter and type: {"x", "*fp32"}.
  Bindings arguments;
  /// Parameter and value: {"BLOCK", "1024"}.
  Bindings constants;
  int32_t numWarps = 0;
  int32_t numStages = 0;
  int32_t maxRegisters = 0;
  /// Programs of a cluster: 1 or 2.
  int32_t numCtas = 0;
  /// CTAs of a cluster that run one program together: 1, 2, 4 or 8.
  int32_t splitK = 0;
  /// TILEC_COMPILE_... flags.
  uint32_t flags = 0;
  tilec_stage stopAfter = TILEC_STAGE_DEFAULT;
  std::vector<tilec_stage> keepStages;
  std::string ptxas, cudaHome, searchPath, libclc, libdevice;
  Cache cache;
  /// Folders that imported modules are looked for in.
  std::vector<std::string> importRoots;
  /// Path and text of modules in memory: {"pkg/tools.py", "..."}.
  Bindings modules;
  /// What a tuning database has for a device and the sizes of a launch: see tilec_options.
  std::string tuningDatabase, tuningDevice;
  Bindings tuningSizes;
  /// The -W options, without the -W: "no-unused-variable", "error".
  std::vector<std::string> warnings;
  /// Limits of what runs at compile time; 0: the usual ones.
  uint64_t maxSteps = 0, maxOps = 0, maxUnroll = 0;
};

/// One run-time argument of a kernel; see tilec_argument.
struct Argument {
  std::string name, type;
  tilec_argument_kind kind = TILEC_ARGUMENT_INTEGER;
  uint32_t sizeBytes = 0, divisibility = 1;
  bool isConst = false;
};

/// Host memory as a pointer argument.
struct Buffer {
  void *data = nullptr;
  size_t size = 0;
  bool readOnly = false;
};

/// `count` elements from `data`; the kernel may not write to const ones.
template <typename T> Buffer buffer(T *data, size_t count) {
  return {const_cast<std::remove_const_t<T> *>(data), count * sizeof(T), std::is_const_v<T>};
}
/// The elements of a std::vector, std::array, span, ...
template <typename Container>
auto buffer(Container &elements) -> decltype(elements.data(), Buffer()) {
  return buffer(elements.data(), elements.size());
}

/// How to simulate; see tilec_launch.
struct Launch {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  bool check = true;
  bool counters = false;
  /// 0: one for each core.
  uint32_t hostThreads = 0;
};

/// See tilec_finding.
struct Finding {
  std::string kind, message, file;
  uint32_t line = 0, column = 0;
  uint64_t count = 0;
  std::array<uint32_t, 3> program = {};
  uint32_t thread = 0;
  std::string rendered;
  std::vector<int32_t> coordinates;
};

/// See tilec_printed_line.
struct PrintedLine {
  std::array<uint32_t, 3> program = {};
  uint32_t thread = 0;
  std::string text;
  std::vector<int32_t> coordinates;
  std::string file;
  uint32_t line = 0, column = 0;
};

/// The outcome of a simulation. True when it ran to its end and nothing was found.
struct Report {
  tilec_status status = TILEC_INVALID_ARGUMENT;
  /// Why the status is not TILEC_OK.
  std::string message;
  /// All findings, for people.
  std::string text;
  std::vector<Finding> findings;
  std::vector<PrintedLine> printed;
  tilec_counters counters = {};

  explicit operator bool() const { return status == TILEC_OK; }
};

namespace detail {

inline std::vector<tilec_binding> bindingsOf(const Options::Bindings &bindings) {
  std::vector<tilec_binding> result;
  for (const auto &[name, text] : bindings)
    result.push_back({name.c_str(), text.c_str()});
  return result;
}

/// Calls `call` with options as the C interface has them.
template <typename Call> auto withOptions(const Options &options, Call call) {
  std::vector<tilec_binding> arguments = bindingsOf(options.arguments);
  std::vector<tilec_binding> constants = bindingsOf(options.constants);
  std::vector<tilec_binding> sizes = bindingsOf(options.tuningSizes);
  auto raw = sized<tilec_options>();
  raw.kernel = textOrNull(options.kernel);
  raw.target = textOrNull(options.target);
  raw.arguments = arguments.data();
  raw.num_arguments = arguments.size();
  raw.constants = constants.data();
  raw.num_constants = constants.size();
  raw.num_warps = options.numWarps;
  raw.num_stages = options.numStages;
  raw.max_registers = options.maxRegisters;
  raw.num_ctas = options.numCtas;
  raw.split_k = options.splitK;
  raw.flags = options.flags;
  raw.stop_after = options.stopAfter;
  for (tilec_stage stage : options.keepStages)
    raw.keep_stages |= TILEC_KEEP(stage);
  raw.ptxas = textOrNull(options.ptxas);
  raw.cuda_home = textOrNull(options.cudaHome);
  raw.search_path = textOrNull(options.searchPath);
  raw.libclc = textOrNull(options.libclc);
  raw.libdevice = textOrNull(options.libdevice);
  raw.cache = options.cache.handle();
  std::vector<const char *> roots;
  for (const std::string &root : options.importRoots)
    roots.push_back(root.c_str());
  raw.import_roots = roots.data();
  raw.num_import_roots = roots.size();
  std::vector<tilec_module> modules;
  for (const auto &[path, text] : options.modules)
    modules.push_back({path.c_str(), text.data(), text.size()});
  raw.modules = modules.data();
  raw.num_modules = modules.size();
  raw.tuning_database = textOrNull(options.tuningDatabase);
  raw.tuning_device = textOrNull(options.tuningDevice);
  raw.tuning_sizes = sizes.data();
  raw.num_tuning_sizes = sizes.size();
  std::vector<const char *> warnings;
  for (const std::string &warning : options.warnings)
    warnings.push_back(warning.c_str());
  raw.warnings = warnings.data();
  raw.num_warnings = warnings.size();
  raw.max_steps = options.maxSteps;
  raw.max_ops = options.maxOps;
  raw.max_unroll = options.maxUnroll;
  return call(&raw);
}

inline std::vector<Diagnostic> readDiagnostics(const tilec_diagnostics *handle) {
  std::vector<Diagnostic> result;
  size_t count = handle ? tilec_diagnostics_count(handle) : 0;
  for (size_t i = 0; i < count; ++i) {
    auto one = sized<tilec_diagnostic>();
    if (tilec_diagnostics_get(handle, i, &one) == TILEC_OK)
      result.push_back({one.severity, one.file, one.line, one.column, one.end_line, one.end_column,
                        one.message, one.category, one.rendered});
  }
  return result;
}

inline void readReport(const tilec_report *handle, Report &report) {
  report.text = textOf(tilec_report_text(handle));
  size_t findings = tilec_report_num_findings(handle);
  for (size_t i = 0; i < findings; ++i) {
    auto one = sized<tilec_finding>();
    if (tilec_report_get_finding(handle, i, &one) == TILEC_OK)
      report.findings.push_back({one.kind,
                                 one.message,
                                 one.file,
                                 one.line,
                                 one.column,
                                 one.count,
                                 {one.program[0], one.program[1], one.program[2]},
                                 one.thread,
                                 one.rendered,
                                 {one.coordinates, one.coordinates + one.num_coordinates}});
  }
  size_t lines = tilec_report_num_lines(handle);
  for (size_t i = 0; i < lines; ++i) {
    auto one = sized<tilec_printed_line>();
    if (tilec_report_get_line(handle, i, &one) == TILEC_OK)
      report.printed.push_back({{one.program[0], one.program[1], one.program[2]},
                                one.thread,
                                one.text,
                                {one.coordinates, one.coordinates + one.num_coordinates},
                                one.file,
                                one.line,
                                one.column});
  }
  report.counters = sized<tilec_counters>();
  tilec_report_get_counters(handle, &report.counters);
}

} // namespace detail

/// One compiled kernel, or none. What it returns as a view lives as long as the kernel.
class Kernel {
public:
  Kernel() = default;
  /// Takes the handle over.
  explicit Kernel(tilec_kernel *kernel) : owned(kernel) {}

  explicit operator bool() const { return owned != nullptr; }
  tilec_kernel *handle() const { return owned.get(); }

  /// All zero when there is no kernel.
  tilec_kernel_info info() const {
    auto result = detail::sized<tilec_kernel_info>();
    tilec_kernel_get_info(handle(), &result);
    return result;
  }
  std::vector<Argument> arguments() const {
    std::vector<Argument> result;
    size_t count = info().num_arguments;
    for (size_t i = 0; i < count; ++i) {
      auto one = detail::sized<tilec_argument>();
      if (tilec_kernel_get_argument(handle(), i, &one) == TILEC_OK)
        result.push_back(
            {one.name, one.type, one.kind, one.size_bytes, one.divisibility, one.is_const != 0});
    }
    return result;
  }
  /// Empty where there is none.
  std::string_view ptx() const { return view(tilec_kernel_ptx(handle())); }
  std::string_view metadata() const { return view(tilec_kernel_metadata(handle())); }
  /// Of TILEC_COMPILE_TIMELINE: the bytes of the buffer, and a file of what a launch has left
  /// there.
  size_t timelineSize() const { return tilec_kernel_timeline_size(handle()); }
  Status writeTimeline(const uint32_t (&grid)[3], const void *buffer, size_t size,
                       const std::string &path) const {
    return detail::statusOf(
        tilec_kernel_write_timeline(handle(), grid, buffer, size, path.c_str()));
  }
  std::string_view cubin() const {
    size_t size = 0;
    const void *bytes = tilec_kernel_cubin(handle(), &size);
    return {static_cast<const char *>(bytes), size};
  }
  std::string_view stage(tilec_stage stage) const {
    size_t size = 0;
    const char *text = tilec_kernel_stage(handle(), stage, &size);
    return {text, size};
  }

  /// Runs the kernel on the simulator. An argument is a Buffer, a pointer into one, or a number of
  /// exactly the argument's size.
  template <typename... Args> Report simulate(const Launch &launch, const Args &...args) const {
    static_assert(
        ((std::is_same_v<Args, Buffer> || std::is_arithmetic_v<Args> || std::is_pointer_v<Args>) &&
         ...),
        "a kernel argument is a tilec::Buffer, a number or a pointer");
    std::vector<Argument> described = arguments();
    std::vector<tilec_value> values;
    std::vector<tilec_buffer> buffers;
    auto add = [&](const auto &argument) {
      if constexpr (std::is_same_v<std::decay_t<decltype(argument)>, Buffer>) {
        size_t index = values.size();
        const char *name = index < described.size() ? described[index].name.c_str() : nullptr;
        values.push_back({&argument.data, sizeof argument.data});
        buffers.push_back(
            {argument.data, argument.size, name, argument.readOnly ? TILEC_BUFFER_READ_ONLY : 0});
      } else {
        values.push_back({&argument, sizeof argument});
      }
    };
    (add(args), ...);
    return simulate(launch, values, buffers);
  }

  /// The same with arguments and memory as the C interface has them.
  Report simulate(const Launch &launch, const std::vector<tilec_value> &values,
                  const std::vector<tilec_buffer> &buffers) const {
    auto raw = detail::sized<tilec_launch>();
    for (size_t axis = 0; axis < 3; ++axis)
      raw.grid[axis] = launch.grid[axis];
    raw.flags =
        (launch.check ? TILEC_SIMULATE_CHECK : 0) | (launch.counters ? TILEC_SIMULATE_COUNTERS : 0);
    raw.arguments = values.data();
    raw.num_arguments = values.size();
    raw.buffers = buffers.data();
    raw.num_buffers = buffers.size();
    raw.host_threads = launch.hostThreads;
    tilec_report *handle = nullptr;
    Report report;
    report.status = tilec_kernel_simulate(this->handle(), &raw, &handle);
    detail::Owned<tilec_report> ownedReport(handle);
    if (report.status != TILEC_OK)
      report.message = tilec_last_error();
    if (handle)
      detail::readReport(handle, report);
    return report;
  }

private:
  static std::string_view view(const char *text) {
    return text ? std::string_view(text) : std::string_view();
  }

  detail::Owned<tilec_kernel> owned;
};

/// The outcome of a compilation. True when there is a kernel: with status TILEC_UNAVAILABLE it
/// lacks the cubin.
struct Compilation {
  tilec_status status = TILEC_INVALID_ARGUMENT;
  /// Why the status is not TILEC_OK, in one line.
  std::string message;
  Kernel kernel;
  std::vector<Diagnostic> diagnostics;
  /// All diagnostics, for people.
  std::string text;

  explicit operator bool() const { return bool(kernel); }
};

/// Compiles kernels, for any number of threads at the same time.
class Compiler {
public:
  Compiler() {
    tilec_compiler *handle = nullptr;
    tilec_compiler_create(&handle);
    owned.reset(handle);
  }

  /// False when there was no memory for it.
  explicit operator bool() const { return owned != nullptr; }
  tilec_compiler *handle() const { return owned.get(); }

  /// `name` stands for the file in messages.
  Compilation compileText(const std::string &name, std::string_view text,
                          const Options &options = {}) const {
    return compile(options, [&](const tilec_options *raw, tilec_kernel **kernel,
                                tilec_diagnostics **diagnostics) {
      return tilec_compile_text(handle(), name.c_str(), text.data(), text.size(), raw, kernel,
                                diagnostics);
    });
  }
  Compilation compileFile(const std::string &path, const Options &options = {}) const {
    return compile(options, [&](const tilec_options *raw, tilec_kernel **kernel,
                                tilec_diagnostics **diagnostics) {
      return tilec_compile_file(handle(), path.c_str(), raw, kernel, diagnostics);
    });
  }

private:
  template <typename Call> static Compilation compile(const Options &options, Call call) {
    tilec_kernel *kernel = nullptr;
    tilec_diagnostics *diagnostics = nullptr;
    Compilation result;
    result.status = detail::withOptions(
        options, [&](const tilec_options *raw) { return call(raw, &kernel, &diagnostics); });
    result.kernel = Kernel(kernel);
    detail::Owned<tilec_diagnostics> owned(diagnostics);
    if (result.status != TILEC_OK)
      result.message = tilec_last_error();
    result.diagnostics = detail::readDiagnostics(diagnostics);
    result.text =
        diagnostics ? detail::textOf(tilec_diagnostics_text(diagnostics)) : result.message;
    return result;
  }

  detail::Owned<tilec_compiler> owned;
};

} // namespace v0
} // namespace tilec

#endif // TILEC_COMPILER_HPP
