// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report on what Triton has compiled. Its files name the source as Python found it; the report
// has the names of the one beside it where they mean the same text, so that lines of both are the
// same.

#include "CodeCounts.h"
#include "Samples.h"
#include "StageText.h"
#include "TritonText.h"
#include "Verdict.h"

#include "tilec/Driver/ToolHints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace tilec::explain {

namespace {

/// The lines of a file on this machine; nothing where it cannot be read.
std::vector<std::string> readLines(const std::string &name) {
  std::vector<std::string> lines;
  constexpr uint64_t mostBytes = 1 << 20;
  uint64_t bytes = 0;
  if (fs::file_size(name, bytes) || bytes > mostBytes)
    return lines;
  if (auto buffer = llvm::MemoryBuffer::getFile(name))
    for (StringRef line : llvm::split((*buffer)->getBuffer().rtrim('\n'), '\n'))
      lines.push_back(line.rtrim('\r').str());
  return lines;
}

/// Code of Triton's own functions, as of a sum; its lines are those that call it.
bool isOfTriton(const SourceFile &file) {
  return StringRef(file.name).contains("/triton/language/");
}

class TritonExplainer {
public:
  explicit TritonExplainer(const TritonSubject &given)
      : subject(given), lines(*given.sources, /*file=*/0, report) {}

  Report run();

private:
  const TritonKernel &kernel() const { return *subject.kernel; }
  bool isTextOf(const SourceFile &known, const std::string &name) const;
  void nameFiles();
  void describe();
  void addStages();
  bool isOwn(size_t line) { return !isOfTriton(report.files[lines[line].file]); }
  LineIndex callerOf(size_t line, const PlaceCallers &callers, LineIndex above);
  void placeLibrary(StageText &stage);
  void readMissingFiles();

  const TritonSubject &subject;
  Report report;
  LineTable lines;
};

} // namespace

/// Whether a file of Triton's is one of those that we have compiled.
bool TritonExplainer::isTextOf(const SourceFile &known, const std::string &name) const {
  bool isSame = false;
  if (!fs::equivalent(known.name, name, isSame) && isSame)
    return true;
  if (llvm::sys::path::filename(known.name) != llvm::sys::path::filename(name))
    return false;
  // A copy, elsewhere or on another machine.
  std::vector<std::string> text = readLines(name);
  if (text.empty())
    return true;
  size_t first = size_t(std::max(known.firstLine, 1) - 1);
  return text.size() >= first + known.lines.size() &&
         llvm::equal(known.lines, llvm::ArrayRef(text).slice(first, known.lines.size()));
}

/// Files of Triton's have the names that they have in the report beside. The kernel's own comes
/// first.
void TritonExplainer::nameFiles() {
  lines.nameOf = [this](StringRef name) {
    const std::vector<SourceFile> &known = subject.beside->files;
    auto same = llvm::find_if(known, [&](const SourceFile &file) { return file.name == name; });
    if (same == known.end())
      same = llvm::find_if(known, [&](const auto &file) { return isTextOf(file, name.str()); });
    return same == known.end() ? name.str() : same->name;
  };
  auto text = kernel().texts.find("ptx");
  std::string own = text == kernel().texts.end() ? "" : fileOfPTX(text->second);
  (void)lines.file(own.empty() ? subject.beside->files.front().name : own);
}

void TritonExplainer::describe() {
  const Report &beside = *subject.beside;
  report.compiler = "triton";
  report.version = kernel().version;
  report.isCounted = false;
  report.kernel = kernel().name;
  report.target = beside.target;
  report.device = subject.gpuRun && subject.gpuRun->cold ? "cuda" : "none";
  report.gpu = beside.gpu;
  for (auto [name, value] :
       {std::pair("numWarps", kernel().numWarps), std::pair("numStages", kernel().numStages)})
    report.options.emplace_back(name, std::to_string(value));
  if (kernel().numCtas > 1)
    report.options.emplace_back("numCtas", std::to_string(kernel().numCtas));
  Launch &launch = report.launch;
  launch.grid = beside.launch.grid;
  launch.programs = beside.launch.programs;
  launch.ctas = launch.programs * uint64_t(kernel().numCtas);
  launch.threadsPerCta = kernel().threadsPerCta();
  launch.cluster = {uint32_t(kernel().numCtas), 1, 1};
  launch.arguments = beside.launch.arguments;
  Resources &resources = report.resources;
  resources.registers = kernel().code.registers;
  resources.localBytes = kernel().code.localBytes;
  // More than nothing may be arrays as well.
  if (kernel().code.localBytes == 0)
    resources.spillBytes = 0;
  resources.staticSharedBytes = kernel().code.staticSharedBytes;
  resources.dynamicSharedBytes = kernel().dynamicSharedBytes;
  report.occupancy = findOccupancy(report);
  report.waves = findWaves(report);
  // What the driver would refuse: Triton says so when it is launched, not when it compiles.
  int64_t sharedBytes = resources.staticSharedBytes + resources.dynamicSharedBytes;
  if (sharedBytes > report.gpu->facts().maxSharedBytesPerCta()) {
    report.occupancy.ctas = report.occupancy.warps = 0;
    report.waves = Waves();
  }
}

void TritonExplainer::addStages() {
  for (const char *name : {"ttir", "ttgir", "llvm", "ptx"}) {
    StringRef file = StringRef(name) == "llvm" ? "llir" : name;
    auto text = kernel().texts.find(file.str());
    if (text == kernel().texts.end()) {
      report.stages.push_back(makeStage(name));
      report.stages.back().absent =
          ("there is no " + kernel().name + "." + file + " in '" + kernel().folder + "'").str();
      continue;
    }
    report.stages.push_back(StringRef(name) == "llvm"  ? textOfLLVM(text->second, lines)
                            : StringRef(name) == "ptx" ? textOfPTX(text->second, lines)
                                                       : textOfTriton(text->second, name, lines));
  }
  report.stages.push_back(textOfCubin(kernel().cubin, ptxasHints(subject.tools), lines));
  for (StageText &stage : report.stages)
    if (stage.name == "ptx" || stage.name == "sass")
      placeLibrary(stage);
  countCode(lines, report);
}

/// A line that calls the function of Triton's that a line is in: `above`, if that is one.
LineIndex TritonExplainer::callerOf(size_t line, const PlaceCallers &callers, LineIndex above) {
  auto known = callers.find({report.files[lines[line].file].name, lines[line].line});
  if (known == callers.end())
    return std::nullopt;
  LineIndex first;
  for (const auto &[file, number] : known->second) {
    LineIndex caller = lines.add(file, number);
    if (!caller || !isOwn(*caller))
      continue;
    if (caller == above)
      return above;
    first = first ? first : caller;
  }
  return first;
}

/// Gives the code of Triton's own functions the lines that call them, which come first: that is
/// where an instruction counts. Of several callers it is the one whose code is above it.
void TritonExplainer::placeLibrary(StageText &stage) {
  PlaceCallers callers;
  if (auto text = kernel().texts.find("ptx"); text != kernel().texts.end())
    callers = callersInPTX(text->second);
  LineIndex above;
  for (std::vector<size_t> &places : stage.source) {
    if (places.empty())
      continue;
    if (llvm::none_of(places, [&](size_t line) { return isOwn(line); }))
      if (LineIndex caller = callerOf(places.front(), callers, above))
        places.push_back(*caller);
    auto own = llvm::find_if(places, [&](size_t line) { return isOwn(line); });
    if (own == places.end())
      continue;
    std::rotate(places.begin(), own, own + 1);
    above = places.front();
  }
}

void TritonExplainer::readMissingFiles() {
  for (SourceFile &file : report.files)
    if (file.lines.empty() && !isOfTriton(file))
      // Where Triton has compiled another text than ours.
      file.lines = readLines(file.name);
}

Report TritonExplainer::run() {
  nameFiles();
  describe();
  addStages();
  if (subject.gpuRun) {
    report.time.measured = subject.gpuRun->cold;
    report.time.measuredWarm = subject.gpuRun->warm;
    collectSamples(*subject.gpuRun, lines, report);
  }
  report.outputs = subject.outputs;
  readMissingFiles();
  report.kernelLine = lines.lineOfKernel();
  (void)lines.add(size_t(0), report.kernelLine);
  lines.finish();
  giveVerdict(report, LaunchWork());
  return std::move(report);
}

Report explainTriton(const TritonSubject &subject) { return TritonExplainer(subject).run(); }

} // namespace tilec::explain
