// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ptxas as a child process on three temporary files: PTX in, cubin out, and the report, which
// ptxas prints to its standard error.

#include "tilec/Target/Cubin.h"

#include "TemporaryFile.h"

#include "tilec/Support/Processor.h"
#include "tilec/Target/Occupancy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using llvm::StringRef;

namespace tilec {

char PtxasNotFound::ID = 0;
char PtxasFailed::ID = 0;

void PtxasNotFound::log(llvm::raw_ostream &os) const {
  os << "ptxas was not found (searched: " << llvm::join(searched, ", ")
     << "); install the CUDA toolkit or name the program with TILEC_PTXAS";
}

std::error_code PtxasNotFound::convertToErrorCode() const {
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

/// A program of that name in the folders where ptxas is looked for.
static void addPlaces(const PtxasHints &hints, StringRef program,
                      std::vector<std::string> &candidates) {
  auto addFolder = [&](StringRef folder, StringRef below = "") {
    if (folder.empty())
      return;
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, below, program);
    candidates.push_back(std::string(path));
  };
  addFolder(hints.cudaHome, "bin");
  llvm::SmallVector<StringRef> folders;
  StringRef(hints.searchPath).split(folders, ':', -1, /*KeepEmpty=*/false);
  for (StringRef folder : folders)
    addFolder(folder);
  for (const std::string &folder : hints.installFolders)
    addFolder(folder);
}

static bool isProgram(const std::string &path) {
  return llvm::sys::fs::can_execute(path) && !llvm::sys::fs::is_directory(path);
}

llvm::Expected<std::string> findPtxas(const PtxasHints &hints) {
  std::vector<std::string> candidates;
  if (!hints.option.empty())
    candidates = {hints.option};
  else if (!hints.environment.empty())
    candidates = {hints.environment};
  else
    addPlaces(hints, "ptxas", candidates);
  for (const std::string &path : candidates)
    if (isProgram(path))
      return path;
  return llvm::make_error<PtxasNotFound>(std::move(candidates));
}

std::optional<std::string> findDisassembler(const PtxasHints &hints) {
  std::vector<std::string> candidates;
  for (const std::string &ptxas : {hints.option, hints.environment})
    if (!ptxas.empty()) {
      llvm::SmallString<128> path = llvm::sys::path::parent_path(ptxas);
      llvm::sys::path::append(path, "nvdisasm");
      candidates.push_back(std::string(path));
    }
  addPlaces(hints, "nvdisasm", candidates);
  auto found = llvm::find_if(candidates, isProgram);
  return found == candidates.end() ? std::nullopt : std::optional<std::string>(*found);
}

namespace {

/// The number before `unit` in `line`, e.g. 24 in "Used 24 registers" for " registers"; `missing`
/// without one.
int numberBefore(StringRef line, StringRef unit, int missing) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return missing;
  StringRef head = line.take_front(end);
  size_t digits = head.size();
  while (digits > 0 && llvm::isDigit(head[digits - 1]))
    --digits;
  int value = missing;
  if (head.drop_front(digits).getAsInteger(10, value))
    return missing;
  return value;
}

using ToolFile = TemporaryFile<PtxasFailed>;

} // namespace

llvm::Expected<std::string> ptxasVersion(StringRef ptxas) {
  ToolFile report;
  if (llvm::Error error = report.create("log"))
    return std::move(error);
  if (llvm::Error error = report.close())
    return std::move(error);
  std::optional<StringRef> redirects[] = {StringRef(""), report.path(), report.path()};
  int status = llvm::sys::ExecuteAndWait(ptxas, {ptxas, "--version"}, std::nullopt, redirects,
                                         /*SecondsToWait=*/10);
  llvm::Expected<std::string> text = report.read();
  if (!text)
    return text.takeError();
  if (status != 0)
    return llvm::make_error<PtxasFailed>("'" + ptxas.str() + "' does not run");
  size_t release = text->find("release ");
  if (release == std::string::npos)
    return "version unknown";
  return text->substr(release, text->find('\n', release) - release);
}

std::vector<KernelResources> parsePtxasReport(StringRef report) {
  std::vector<KernelResources> kernels;
  auto find = [&](StringRef name) -> KernelResources & {
    for (KernelResources &kernel : kernels)
      if (kernel.kernel == name)
        return kernel;
    kernels.emplace_back();
    kernels.back().kernel = name.str();
    return kernels.back();
  };

  // "Compiling entry function 'k' for 'sm_90a'" and "Function properties for k" say whom the next
  // lines are about. Device functions have properties too; only entries are kept.
  std::vector<std::string> entries;
  std::string properties, entry;
  llvm::SmallVector<StringRef> lines;
  report.split(lines, '\n');
  for (StringRef line : lines) {
    constexpr StringRef serialized = "wgmma.mma_async instructions are serialized due to ";
    if (size_t loss = line.find(serialized); loss != StringRef::npos) {
      // "... of something in the function 'k'", or "... resources for the function 'k'".
      auto [reason, name] = line.drop_front(loss + serialized.size()).split(" the function '");
      (void)(reason.consume_back(" in") || reason.consume_back(" for"));
      find(name.split('\'').first).serializedDots = reason.str();
    } else if (size_t at = line.find("Compiling entry function '"); at != StringRef::npos) {
      entry = line.drop_front(at).split('\'').second.split('\'').first.str();
      entries.push_back(entry);
      (void)find(entry);
    } else if (size_t place = line.find("Function properties for "); place != StringRef::npos) {
      properties =
          line.drop_front(place + StringRef("Function properties for ").size()).trim().str();
    } else if (line.contains("bytes stack frame") && llvm::is_contained(entries, properties)) {
      KernelResources &kernel = find(properties);
      kernel.stackBytes = numberBefore(line, " bytes stack frame", 0);
      kernel.spillStoreBytes = numberBefore(line, " bytes spill stores", 0);
      kernel.spillLoadBytes = numberBefore(line, " bytes spill loads", 0);
    } else if (line.contains(": Used ") && !entry.empty()) {
      KernelResources &kernel = find(entry);
      kernel.registers = numberBefore(line, " registers", -1);
      kernel.sharedBytes = numberBefore(line, " bytes smem", 0);
      kernel.barriers = numberBefore(line, " barriers", 0);
    }
  }
  return kernels;
}

llvm::Expected<std::string> disassemble(StringRef cubin, StringRef disassembler,
                                        llvm::ArrayRef<StringRef> options) {
  ToolFile input, output;
  if (llvm::Error error = input.create("cubin"))
    return std::move(error);
  if (llvm::Error error = output.create("sass"))
    return std::move(error);
  if (llvm::Error error = input.write(cubin))
    return std::move(error);
  if (llvm::Error error = output.close())
    return std::move(error);
  llvm::SmallVector<StringRef> arguments = {disassembler};
  arguments.append(options.begin(), options.end());
  arguments.push_back(input.path());
  std::optional<StringRef> redirects[] = {StringRef(""), output.path(), StringRef("")};
  std::string message;
  constexpr unsigned mostSeconds = 60;
  int status = llvm::sys::ExecuteAndWait(disassembler, arguments, std::nullopt, redirects,
                                         mostSeconds, /*MemoryLimit=*/0, &message);
  if (status != 0)
    return llvm::make_error<PtxasFailed>(
        ("'" + disassembler + "' failed" + (message.empty() ? "" : ": ") + message).str());
  return output.read();
}

static llvm::Expected<CubinResult> runPtxas(StringRef ptx, StringRef ptxas,
                                            const CubinOptions &options) {
  if (!llvm::sys::fs::can_execute(ptxas))
    return llvm::make_error<PtxasNotFound>(std::vector<std::string>{ptxas.str()});
  ToolFile input, output, report;
  if (llvm::Error error = input.create("ptx"))
    return std::move(error);
  if (llvm::Error error = output.create("cubin"))
    return std::move(error);
  if (llvm::Error error = report.create("log"))
    return std::move(error);
  if (llvm::Error error = input.write(ptx))
    return std::move(error);
  if (llvm::Error error = output.close())
    return std::move(error);
  if (llvm::Error error = report.close())
    return std::move(error);

  std::string architecture = "-arch=" + options.target;
  std::string level = "-O" + std::to_string(options.optLevel);
  std::string registers = "--maxrregcount=" + std::to_string(options.maxRegisters);
  llvm::SmallVector<StringRef> arguments = {ptxas, architecture, "-v", level};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  if (options.maxRegisters)
    arguments.push_back(registers);
  arguments.append({input.path(), "-o", output.path()});

  std::string message;
  bool notStarted = false;
  std::optional<StringRef> redirects[] = {StringRef(""), report.path(), report.path()};
  int status =
      llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects, options.timeoutSeconds,
                                /*MemoryLimit=*/0, &message, &notStarted);
  llvm::Expected<std::string> log = report.read();
  if (!log)
    return log.takeError();
  if (status != 0) {
    std::string text =
        llvm::formatv("ptxas failed for target '{0}' ({1})", options.target,
                      message.empty() ? "exit status " + std::to_string(status) : message);
    // The input's name is ours and differs from run to run.
    std::string words = StringRef(*log).trim().str();
    for (size_t at = words.find(input.path().str()); at != std::string::npos;
         at = words.find(input.path().str()))
      words.replace(at, input.path().size(), "kernel.ptx");
    if (!words.empty())
      text += ":\n" + words;
    return llvm::make_error<PtxasFailed>(text);
  }
  llvm::Expected<std::string> cubin = output.read();
  if (!cubin)
    return cubin.takeError();
  CubinResult result;
  result.cubin = std::move(*cubin);
  result.kernels = parsePtxasReport(*log);
  result.log = std::move(*log);
  return result;
}

/// The PTX of one kernel with a demand for `ctas` CTAs per multiprocessor; nothing when it has one
/// already, or a number of registers, or does not say its number of threads.
static std::optional<std::string> demandCtas(StringRef ptx, int ctas) {
  size_t place = ptx.find("\n.reqntid ");
  if (place == StringRef::npos || ptx.contains("\n.minnctapersm ") ||
      ptx.contains("\n.maxnreg "))
    return std::nullopt;
  size_t end = ptx.find('\n', place + 1);
  return (ptx.take_front(end) + "\n.minnctapersm " + llvm::Twine(ctas) + ptx.drop_front(end)).str();
}

/// The threads that '.reqntid x, y, z' asks for; 0 without one.
static int threadsOf(StringRef ptx) {
  StringRef line = ptx.split("\n.reqntid ").second.split('\n').first;
  int threads = line.empty() ? 0 : 1;
  for (StringRef part : llvm::split(line, ',')) {
    int extent = 0;
    if (part.trim().getAsInteger(10, extent))
      return 0;
    threads *= extent;
  }
  return threads;
}

llvm::Expected<CubinResult> assemblePTX(StringRef ptx, StringRef ptxas,
                                        const CubinOptions &options) {
  llvm::Expected<CubinResult> first = runPtxas(ptx, ptxas, options);
  int threads = threadsOf(ptx);
  // Assembling long text once more takes seconds.
  constexpr size_t longText = size_t(1) << 20;
  if (!first || first->kernels.size() != 1 || threads == 0 || options.occupancyReach == 0 ||
      options.maxRegisters != 0 || ptx.size() > longText)
    return first;
  llvm::Expected<const Processor *> target = findProcessor(options.target);
  if (!target) {
    llvm::consumeError(target.takeError());
    return first;
  }
  const KernelResources &resources = first->kernels.front();
  CtaFootprint footprint{threads, resources.registers,
                         resources.sharedBytes + options.dynamicSharedBytes};
  bool hasDots = ptx.contains("wgmma.mma_async");
  unsigned reach = hasDots ? options.dotOccupancyReach : options.occupancyReach;
  std::optional<int> ctas = ctasWithinReach(**target, footprint, int(reach));
  std::optional<std::string> demand = ctas ? demandCtas(ptx, *ctas) : std::nullopt;
  if (!demand)
    return first;
  llvm::Expected<CubinResult> second = runPtxas(*demand, ptxas, options);
  if (!second) {
    llvm::consumeError(second.takeError());
    return first;
  }
  if (second->kernels.size() != 1)
    return first;
  const KernelResources &crowded = second->kernels.front();
  bool spills = crowded.spillStoreBytes > resources.spillStoreBytes;
  bool serializes = resources.serializedDots.empty() && !crowded.serializedDots.empty();
  return spills || serializes ? std::move(first) : std::move(second);
}

} // namespace tilec
