// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What 'tilec explain' knows of one kernel and one launch of it, as data. docs/explain.md describes
// it by the names that it has as JSON (writeReport), which are those of the members here. Lines of
// the source are named by their index in Report::lines. Times are microseconds, sizes bytes.

#ifndef TILEC_EXPLAIN_REPORT_H
#define TILEC_EXPLAIN_REPORT_H

#include "tilec/Explain/GpuLimits.h"

#include "tilecrt/sim/Simulator.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec::explain {

/// Raised whenever a name of the JSON changes its meaning or goes away.
constexpr int kSchemaVersion = 1;

/// A line of the source, by its index in Report::lines.
using LineIndex = std::optional<size_t>;

struct SourceFile {
  std::string name;
  /// The number of the first one of `lines`: not 1 for a text that was cut out of a file.
  int firstLine = 1;
  std::vector<std::string> lines;

  /// The text of a line by its number; empty when there is none.
  const std::string &textOf(int line) const;
};

/// What the simulator has counted at a line, or in a launch.
struct Counts {
  tilecrt::sim::Counters counters;
  /// The most atomics that one address got.
  tilecrt::sim::SerialAtomics hottest;

  Counts &operator+=(const Counts &other);
  bool empty() const { return counters.empty(); }
};

/// A line of the source that something is known of.
struct SourceLine {
  size_t file = 0;
  int line = 0;
  /// With those of the functions that it calls.
  Counts counts;
  /// Its part of the predicted time, in microseconds and of one; and without what it calls.
  double time = 0, share = 0, selfShare = 0;
  /// Most registers of a thread that are in use while its instructions run.
  std::optional<int> registers;
  /// Shared memory of the buffers that are made for it.
  int64_t sharedBytes = 0;
  /// Indices in Report::remarks.
  std::vector<size_t> remarks;
  /// Samples of a GPU at its own instructions, and with those of what it calls.
  uint64_t samples = 0;
  double allSamples = 0;
  /// Its own, for each of Samples::reasons; empty when there are none.
  std::vector<uint64_t> stalls;
  /// Instructions of its code, for each of Code::classes; empty when there are none.
  std::vector<uint64_t> code;
};

/// A place that is executed, with the calls that lead to it.
struct CallPath {
  struct Frame {
    std::string function;
    size_t file = 0;
    int line = 0;
  };
  /// Outermost first; the last one is the place.
  std::vector<Frame> stack;
  Counts counts;
  double time = 0, share = 0;
  /// Of a GPU.
  double samples = 0;
};

struct Remark {
  size_t file = 0;
  int line = 0, column = 0, endLine = 0, endColumn = 0;
  std::string severity, category, message;
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> metrics;
};

struct Argument {
  std::string name;
  /// In signature notation.
  std::string type;
  enum class Kind { Array, Number, Descriptor, Constant } kind = Kind::Number;
  /// Of arrays.
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
  /// Of numbers and constants.
  std::string value;
};

struct Launch {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint64_t programs = 1, ctas = 1;
  int threadsPerCta = 0;
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  int splitK = 1;
  bool isPersistent = false;
  std::vector<Argument> arguments;
  /// Set when only some programs were simulated, and counts are scaled to the launch.
  std::optional<uint64_t> sampledPrograms;
};

struct Resources {
  /// Of a thread; not known without the assembler.
  std::optional<int> registers, spillBytes;
  /// Local memory of a thread: what is spilled, and arrays. Not known without a cubin.
  std::optional<int> localBytes;
  int64_t staticSharedBytes = 0, dynamicSharedBytes = 0;
};

/// CTAs of the kernel that a multiprocessor holds at a time.
struct Occupancy {
  int ctas = 0, warps = 0, maxWarps = 0;
  /// "registers", "shared memory", "threads" or "CTAs".
  std::string limitedBy;
  /// The CTAs that each limit alone would allow.
  int byRegisters = 0, bySharedMemory = 0, byThreads = 0, byCtas = 0;
};

/// The instructions in the code of the GPU, each once, however often it runs.
struct Code {
  struct Class {
    /// "globalLoad128", and in words: "global loads, 128 bits".
    std::string name, text;
    uint64_t count = 0;
  };
  uint64_t instructions = 0;
  /// Those that it has. An exchange is no instruction: stores to shared memory, a barrier, loads.
  std::vector<Class> classes;
};

/// How a grid spreads over the GPU.
struct Waves {
  /// CTAs at a time on the whole GPU.
  uint64_t perWave = 1;
  uint64_t full = 0;
  /// CTAs of the last wave; 0: it is full.
  uint64_t tail = 0;
  double count = 0;
  /// Work over the work that as many full waves would do.
  double efficiency = 1;
};

/// A stage of the compilation as text.
struct StageText {
  /// "tile", "tilegpu", "llvm", "ptx", "sass"; of Triton "ttir" and "ttgir" instead of the first
  /// two.
  std::string name, title, language;
  std::vector<std::string> lines;
  /// For each line of the text, the lines of the source that it comes from.
  std::vector<std::vector<size_t>> source;
  /// Why there is no text; empty when there is.
  std::string absent;
};

/// A linear layout by its bases: bit i of an input dimension contributes basis i, a coordinate for
/// each dimension of the tensor.
struct Layout {
  std::string text;
  using Bases = std::vector<std::vector<int32_t>>;
  Bases registers, lanes, warps, blocks, offsets;
};

/// A request of a warp to global memory, of those that the simulator has seen.
struct AccessRequest {
  /// Bytes of a lane.
  struct Lane {
    int64_t offset = 0;
    int bytes = 0;
  };
  std::array<uint32_t, 3> program = {0, 0, 0};
  int warp = 0;
  /// The argument, and the byte of it that offsets count from, at a multiple of 128 bytes of
  /// memory: it may lie before the argument.
  std::string buffer;
  int64_t begin = 0;
  /// Nothing of those that are masked off.
  std::array<std::optional<Lane>, 32> lanes;
  /// Of the launch, and the sectors of 32 bytes that one takes in the mean; not known of atomics.
  uint64_t requests = 0;
  std::optional<double> meanSectors;
};

/// What one instruction of a tensor's access to global memory does.
struct TensorAccess {
  /// "load", "store", "atomic".
  std::string kind;
  int vectorBits = 0, fullBits = 0;
  int sectors = 0, minimumSectors = 0;
  bool isUpperBound = false;
  /// What keeps it from being better, and what could be done; may be empty.
  std::string reason, suggestion;
  /// One that was simulated, if there was any.
  std::optional<AccessRequest> request = {};
};

/// What a request of a warp to shared memory takes.
struct BankUse {
  int wavefronts = 0, ideal = 0, requests = 0, vectorBits = 0;
};

struct Tensor {
  /// As the text of the stage "tilegpu" has it: "%12".
  std::string name;
  std::string op;
  LineIndex line;
  std::vector<int64_t> shape;
  std::string element;
  Layout layout;
  /// To global memory, or to shared memory.
  std::optional<TensorAccess> access;
  std::optional<BankUse> banks;
};

struct Conversion {
  LineIndex line;
  std::vector<int64_t> shape;
  std::string element;
  Layout from, to;
  /// "none", "rename", "shuffle", "shared memory".
  std::string path;
  /// Cycles of a warp.
  double cost = 0;
  int64_t bytes = 0;
  int shuffles = 0;
  std::optional<BankUse> store, load;
};

/// A buffer in shared memory; `begin` and `end` are the first and last operation, numbered in
/// program order, between which it is in use.
struct SharedRange {
  LineIndex line;
  int64_t offset = 0, size = 0;
  std::vector<int64_t> shape;
  std::string element;
  unsigned begin = 0, end = 0;
  /// Slots of a ring; 1 for a plain buffer.
  int64_t slots = 1;
  std::string purpose;
  /// From offsets, in elements, to the dimensions of the tensor.
  Layout swizzle;
};

struct SharedMemory {
  int64_t total = 0;
  std::vector<SharedRange> buffers;
  /// The number of operations in program order.
  unsigned steps = 0;
};

struct ScheduledLoop {
  struct Step {
    /// "addresses", "wait-copies", "start-copies", "compute", "wait-dots", "release".
    std::string kind, op;
    LineIndex line;
  };
  struct Stream {
    LineIndex line;
    std::string op;
    std::vector<int64_t> shape;
    int64_t bytes = 0;
    /// "TMA", "cp.async", "private".
    std::string path;
  };
  LineIndex line;
  int64_t stages = 0, distance = 0, ringBytes = 0, dotsInFlight = 0;
  bool hasLoadWarps = false;
  std::vector<Step> steps;
  std::vector<Stream> streams;
  std::string text;
};

struct Schedule {
  std::vector<ScheduledLoop> loops;
  /// Loads that are not copied ahead, and why.
  std::vector<std::pair<LineIndex, std::string>> obstacles;
  /// The plans in words; may be empty.
  std::string roles, registers;
};

/// One thing that takes time: a unit that is busy, or waiting.
struct TimeTerm {
  /// "memory", "cache", "tensor", "issue", "shared", "latency", "atomics", "launch", "tail".
  std::string name;
  double time = 0;
  /// Comes on top of the largest of the others.
  bool isAdded = false;
  double work = 0;
  std::string unit;
  /// Of `unit`, in a microsecond.
  double limit = 0;
  /// How it was computed, in words.
  std::string how;
};

/// What the warps of the kernel were found at on a GPU.
struct Samples {
  struct Reason {
    /// "long_scoreboard", and what a warp does then.
    std::string name, text;
    uint64_t count = 0;
  };
  /// Why there are none; empty when there are.
  std::string absent;
  /// Of the kernel, of these those at no line, and those that the hardware lost.
  uint64_t count = 0, unplaced = 0, dropped = 0;
  unsigned launches = 0;
  /// Cycles between two samples of a scheduler.
  uint64_t periodCycles = 0;
  /// The most frequent first.
  std::vector<Reason> reasons;
};

struct Time {
  double predicted = 0;
  /// The name of the largest term.
  std::string bound;
  std::vector<TimeTerm> terms;
  /// Medians of a GPU, when it ran on one: with a cold second cache, as predicted, and with a warm
  /// one.
  std::optional<double> measured, measuredWarm;
};

struct Roofline {
  double flops = 0, bytes = 0;
  /// Operations for each byte of memory, and where the roof has its edge.
  double intensity = 0, ridge = 0;
  /// TFLOP/s, and GB/s.
  double attained = 0, peak = 0, bandwidth = 0;
  double ofLimit = 0;
};

/// A change that would help.
struct Suggestion {
  /// The rule that found it: "uncoalesced", "bank-conflicts", ...
  std::string rule;
  LineIndex line;
  std::string text;
  /// Time that it would save, by the model.
  double gain = 0;
  /// Predicted time over that without what the rule is about.
  double factor = 1;
  std::string how;
};

/// The line with the most samples of a GPU, and the reason of most of them.
struct HottestLine {
  size_t line = 0;
  /// Of all samples, and of the line's own.
  double share = 0, reasonShare = 0;
  /// In Samples::reasons.
  size_t reason = 0;
};

struct Verdict {
  std::string bound, text;
  /// The share of the limit that is reached.
  double ofLimit = 0;
  std::optional<HottestLine> hottest;
  /// The largest gain first, at most three.
  std::vector<Suggestion> suggestions;
};

/// What the warps of one CTA did and waited for, as docs/timeline.md has it.
struct Timeline {
  struct Event {
    /// "copy-wait", "dot", ...; in words; whether warps wait.
    std::string kind, text;
    bool isWait = false;
    /// Colours on light and dark ground.
    std::string light, dark;
    LineIndex line;
  };
  /// An event of a warp, at these steps; spans around it, and those of its kind before it there.
  struct Span {
    size_t event = 0;
    double begin = 0, end = 0;
    unsigned depth = 0, number = 0;
  };
  struct Warp {
    uint32_t cta = 0, number = 0;
    /// "load", "compute, warpgroup 1"; empty where all warps do the same.
    std::string role;
    double begin = 0, end = 0;
    std::vector<Span> spans;
    /// Products in flight: depth is the lane, in which they do not overlap.
    std::vector<Span> flights;
  };
  /// Times are steps of the simulator: an order.
  bool isOrder = true;
  std::vector<Event> events;
  std::vector<Warp> warps;
};

struct Finding {
  std::string kind, message;
  LineIndex line;
  uint64_t count = 1;
};

/// An array of the launch on a GPU behind two kernels that should write the same.
struct OutputDifference {
  std::string name;
  uint64_t elements = 0, different = 0;
  /// Of an element, and beside its value; infinite where one of both is no number.
  double largest = 0, largestRelative = 0;
};

struct Report {
  /// "tilec", or "triton" for what a kernel of the same text was compiled to by it, and the
  /// compiler's version.
  std::string compiler = "tilec", version;
  /// Whether it ran on the simulator. Otherwise there are no counters, no predicted time, and
  /// nothing that follows from them: they are not known.
  bool isCounted = true;
  std::string kernel, target, device;
  /// The kernel's own file comes first.
  std::vector<SourceFile> files;
  int kernelLine = 0;
  /// Name and value, of numbers and flags that are not what they are by default.
  std::vector<std::pair<std::string, std::string>> options;
  Launch launch;
  /// What times are for; of the table there.
  const GpuLimits *gpu = nullptr;
  Resources resources;
  Occupancy occupancy;
  Waves waves;
  /// Not known without the assembler and nvdisasm.
  std::optional<Code> code;
  /// By file and line.
  std::vector<SourceLine> lines;
  /// The largest share first.
  std::vector<CallPath> calls;
  Counts totals;
  uint64_t readFootprint = 0, writtenFootprint = 0;
  std::vector<Remark> remarks;
  std::vector<StageText> stages;
  std::vector<Tensor> tensors;
  std::vector<Conversion> conversions;
  SharedMemory shared;
  Schedule schedule;
  Time time;
  Roofline roofline;
  Verdict verdict;
  std::vector<Finding> findings;
  /// When they were asked for.
  std::optional<Samples> samples;
  /// When one was asked for.
  std::optional<Timeline> timeline;
  /// Of a kernel that was launched on a GPU beside another one: arrays behind both, those that
  /// differ first. Nothing where they were not compared.
  std::optional<std::vector<OutputDifference>> outputs;
  /// What it is compared with: another configuration, kernel, GPU or compiler. Null: nothing.
  std::shared_ptr<const Report> against;
};

/// "Triton 3.6.0", "tilec 1.0".
std::string compilerText(const Report &report);

/// The report as JSON, with names in one fixed order. Precondition: it has a GPU.
std::string writeReport(const Report &report);

/// The verdict for a terminal: a few lines, and what differs from what it is compared with.
std::string describeReport(const Report &report);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_REPORT_H
