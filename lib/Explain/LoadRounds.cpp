// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp issues in order, and stops at an instruction that names a register whose load is under
// way. So the code between two ends of loops is walked once with a clock of latencies. Here each
// instruction takes a tenth of one:
//
//   LDG R4    at 0.1, done at 1.1
//   LDG R5    at 0.2, done at 1.2
//   FADD R4   at 0.3: waits for 0.8
//   LDG R4    at 1.2, done at 2.2
//   FADD R5   at 1.3: already there
//   FADD R4   at 1.4: waits for 0.8, which makes 1.6 rounds
//
// How often that code runs follows from the loads in it: the simulator knows how many bytes of a
// line a thread loads. Of an unrolled loop and another one for what is left, the larger code runs
// as often as there is enough for it.

#include "LoadRounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using llvm::StringRef;

namespace tilec::explain {

namespace {

/// What a load takes that the first or the second cache has, of one that goes to memory.
constexpr double kFirstCache = 0.05, kSecondCache = 0.45;

double latencyOf(const LineLoads &loads, int together) {
  // One of those that are under way together is enough for all to wait.
  double missing = std::min(1.0, loads.missing * together);
  double beyond = kSecondCache + (1 - kSecondCache) * loads.missingTwice;
  return kFirstCache + missing * (beyond - kFirstCache);
}

/// Code that runs as a whole, apart from forward branches.
struct Segment {
  double rounds = 0;
  /// Bytes that it loads for each line.
  std::map<const LineLoads *, double> bytes;
  double runs = 0;
};

class Walker {
public:
  Walker(const Report &ofReport, const StageText &text,
         const std::map<std::pair<std::string, int>, LineLoads> &ofLines, double ofInstruction)
      : report(ofReport), code(text), lines(ofLines), step(ofInstruction) {}

  std::vector<Segment> run();

private:
  void findLoopHeads();
  void visit(StringRef instruction, const std::vector<size_t> &source);
  void waitUntil(double done);
  const LineLoads *loadsAt(const std::vector<size_t> &source) const;
  void finish();

  const Report &report;
  const StageText &code;
  const std::map<std::pair<std::string, int>, LineLoads> &lines;
  double step;
  llvm::StringMap<size_t> labels;
  std::vector<bool> isLoopHead;
  /// When the load of a register is done.
  std::map<unsigned, double> pending;
  /// Loads of a line since the last wait.
  std::map<const LineLoads *, int> together;
  double clock = 0;
  Segment segment;
  std::vector<Segment> segments;
};

/// The label of a line that has nothing else; empty for another one.
StringRef labelOf(StringRef line) {
  line = line.trim();
  return line.consume_back(":") ? line : StringRef();
}

/// The text behind the address and the predicate: "LDG.E R4, ...".
StringRef instructionOf(StringRef line) {
  StringRef text = line.split("*/").second.trim();
  if (text.starts_with("@"))
    text = text.split(' ').second.ltrim();
  return text;
}

/// The label that a branch goes to.
StringRef branchTarget(StringRef instruction) {
  if (!instruction.starts_with("BRA"))
    return "";
  return instruction.split("`(").second.split(')').first;
}

/// Calls `use` with each register that is named, of those that stand for several the first one.
template <typename Use> void forRegisters(StringRef text, const Use &use) {
  for (size_t at = text.find('R'); at != StringRef::npos; at = text.find('R', at + 1)) {
    unsigned number = 0;
    StringRef digits = text.drop_front(at + 1);
    bool isWord = at > 0 && (llvm::isAlnum(text[at - 1]) || text[at - 1] == '_');
    if (!isWord && !digits.consumeInteger(10, number))
      use(number, digits.starts_with(".64") ? 2u : 1u);
  }
}

double bytesOfLoad(StringRef mnemonic) {
  for (auto [suffix, bytes] : {std::pair(".128", 16), std::pair(".64", 8), std::pair("16", 2),
                               std::pair(".U8", 1), std::pair(".S8", 1)})
    if (mnemonic.contains(suffix))
      return bytes;
  return 4;
}

unsigned registersOfLoad(StringRef mnemonic) {
  return std::max(1u, unsigned(bytesOfLoad(mnemonic) / 4));
}

void Walker::findLoopHeads() {
  isLoopHead.resize(code.lines.size());
  for (size_t i = 0; i < code.lines.size(); ++i)
    if (StringRef label = labelOf(code.lines[i]); !label.empty())
      labels[label] = i;
  for (size_t i = 0; i < code.lines.size(); ++i)
    if (StringRef target = branchTarget(instructionOf(code.lines[i])); !target.empty())
      if (auto head = labels.find(target); head != labels.end() && head->second < i)
        isLoopHead[head->second] = true;
}

const LineLoads *Walker::loadsAt(const std::vector<size_t> &source) const {
  if (source.empty())
    return nullptr;
  const SourceLine &line = report.lines[source.front()];
  auto known = lines.find({report.files[line.file].name, line.line});
  return known == lines.end() ? nullptr : &known->second;
}

void Walker::waitUntil(double done) {
  if (done <= clock)
    return;
  segment.rounds += done - clock;
  clock = done;
  together.clear();
}

void Walker::visit(StringRef instruction, const std::vector<size_t> &source) {
  if (instruction.empty())
    return;
  clock += step;
  StringRef mnemonic = instruction.split(' ').first, operands = instruction.split(' ').second;
  forRegisters(operands, [&](unsigned first, unsigned count) {
    for (unsigned i = first; i < first + count; ++i)
      if (auto load = pending.find(i); load != pending.end()) {
        waitUntil(load->second);
        pending.erase(load);
      }
  });
  const LineLoads *loads = mnemonic.split('.').first == "LDG" ? loadsAt(source) : nullptr;
  if (!loads)
    return;
  segment.bytes[loads] += bytesOfLoad(mnemonic);
  double done = clock + latencyOf(*loads, ++together[loads]);
  bool isFirst = true;
  forRegisters(operands, [&](unsigned first, unsigned) {
    if (isFirst)
      for (unsigned i = first; i < first + registersOfLoad(mnemonic); ++i)
        pending[i] = done;
    isFirst = false;
  });
}

/// What is still under way is waited for, too.
void Walker::finish() {
  for (auto [number, done] : pending)
    waitUntil(done);
  if (!segment.bytes.empty())
    segments.push_back(std::move(segment));
  segment = {};
  pending.clear();
  together.clear();
  clock = 0;
}

std::vector<Segment> Walker::run() {
  findLoopHeads();
  for (size_t i = 0; i < code.lines.size(); ++i) {
    StringRef instruction = instructionOf(code.lines[i]);
    if (isLoopHead[i])
      finish();
    visit(instruction, code.source[i]);
    auto target = labels.find(branchTarget(instruction));
    if (target != labels.end() && target->second < i)
      finish();
  }
  finish();
  return std::move(segments);
}

/// Spreads what a thread loads for the line over the code that does.
void countRuns(const LineLoads &line, std::vector<Segment> &segments) {
  llvm::SmallVector<Segment *> having;
  for (Segment &segment : segments)
    if (segment.bytes.count(&line))
      having.push_back(&segment);
  // In one vector: of equal ones the first comes first.
  llvm::sort(having, [&](const Segment *a, const Segment *b) {
    return std::make_pair(b->bytes.at(&line), a) < std::make_pair(a->bytes.at(&line), b);
  });
  constexpr double kRounding = 1e-6;
  double left = line.bytesPerThread;
  for (Segment *segment : having) {
    double bytes = segment->bytes.at(&line), runs = left / bytes;
    if (segment != having.back())
      runs = std::floor(runs + kRounding);
    left = std::max(0.0, left - runs * bytes);
    segment->runs += runs / double(segment->bytes.size());
  }
}

} // namespace

std::optional<double> findLoadRounds(const Report &report,
                                     const std::map<std::pair<std::string, int>, LineLoads> &loads,
                                     double ofInstruction) {
  auto code = llvm::find_if(
      report.stages, [](const StageText &s) { return s.name == "sass" && !s.lines.empty(); });
  if (code == report.stages.end())
    return std::nullopt;
  std::vector<Segment> segments = Walker(report, *code, loads, ofInstruction).run();
  if (segments.empty())
    return std::nullopt;
  for (const auto &line : loads)
    countRuns(line.second, segments);
  double rounds = 0;
  for (const Segment &segment : segments)
    rounds += segment.rounds * segment.runs;
  return rounds;
}

} // namespace tilec::explain
