// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of processors. Limits: CUDA Programming Guide, "Compute Capabilities", and
// cuda_occupancy.h. Features and the oldest PTX versions: PTX manual, "PTX ISA Notes" of each
// instruction and the table of target architectures.

#include "tilec/Support/Processor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilec {

namespace {

/// What the processors of a generation have in common.
struct Generation {
  int maxThreads;
  int maxCtas;
  int sharedKilobytes;
  int systemSharedBytes;
  uint32_t features;
  double tensorOpsPerMicrosecond;
  double cacheBytesPerMicrosecond;
};

constexpr uint32_t with(uint32_t features, std::initializer_list<Feature> more) {
  for (Feature feature : more)
    features |= uint32_t(1) << unsigned(feature);
  return features;
}

constexpr uint32_t without(uint32_t features, Feature feature) {
  return features & ~(uint32_t(1) << unsigned(feature));
}

constexpr uint32_t kVolta = 0;
constexpr uint32_t kTuring = with(kVolta, {Feature::MatrixLoad});
constexpr uint32_t kAmpere =
    with(kTuring, {Feature::Mma, Feature::AsyncCopy, Feature::WarpReduction, Feature::CachePolicy,
                   Feature::AsyncCopyPolicy});
constexpr uint32_t kAda = with(kAmpere, {Feature::Float8Conversion, Feature::Float8Mma});
constexpr uint32_t kHopper =
    with(without(kAda, Feature::AsyncCopyPolicy),
         {Feature::BFloat16Atomics, Feature::VectorAtomics, Feature::MatrixStore,
          Feature::LineFetch, Feature::Clusters, Feature::DependentLaunch});
constexpr uint32_t kBlackwell = with(kHopper, {Feature::Float8MmaHalfSums, Feature::WideAccess});

constexpr Generation sm70 = {2048, 32, 96, 0, kVolta, 2.9e6, 38e3};
constexpr Generation sm75 = {1024, 16, 64, 0, kTuring, 2.9e6, 38e3};
constexpr Generation sm80 = {2048, 32, 164, 1024, kAmpere, 2.9e6, 38e3};
constexpr Generation sm86 = {1536, 16, 100, 1024, kAmpere, 2.9e6, 38e3};
constexpr Generation sm87 = {1536, 16, 164, 1024, kAmpere, 2.9e6, 38e3};
constexpr Generation sm89 = {1536, 24, 100, 1024, kAda, 2.9e6, 38e3};
constexpr Generation sm90 = {2048, 32, 228, 1024, kHopper, 7.5e6, 42e3};
constexpr Generation sm100 = {2048, 32, 228, 1024, kBlackwell, 15.2e6, 42e3};
constexpr Generation sm110 = {1536, 24, 228, 1024, kBlackwell, 15.2e6, 42e3};
constexpr Generation sm120 = {1536, 24, 100, 1024, kBlackwell, 15.2e6, 42e3};

constexpr Processor row(llvm::StringLiteral name, int capability, unsigned oldestPTX,
                        unsigned defaultPTX, const Generation &generation,
                        std::initializer_list<Feature> own = {}) {
  return {name,
          capability,
          oldestPTX,
          defaultPTX,
          generation.maxThreads,
          generation.maxCtas,
          generation.sharedKilobytes * 1024,
          generation.systemSharedBytes,
          with(generation.features, own),
          generation.tensorOpsPerMicrosecond,
          generation.cacheBytesPerMicrosecond};
}

// PTX 8.4 came with CUDA 12.4: the first with every sm_89 and sm_90a instruction that is emitted.
// 8.8 came with CUDA 12.9 and has the 256-bit accesses of sm_100 and later. Newer processors start
// where they were introduced, or one step later where their first version lacks half of their
// instructions.
constexpr Processor kProcessors[] = {
    row("sm_70", 70, 60, 84, sm70),
    row("sm_75", 75, 63, 84, sm75),
    row("sm_80", 80, 70, 84, sm80),
    row("sm_86", 86, 71, 84, sm86),
    row("sm_87", 87, 74, 84, sm87),
    row("sm_88", 88, 90, 90, sm86),
    row("sm_89", 89, 78, 84, sm89),
    row("sm_90", 90, 78, 84, sm90),
    row("sm_90a", 90, 80, 84, sm90, {Feature::TensorCopy, Feature::Wgmma}),
    row("sm_100", 100, 86, 88, sm100),
    row("sm_100a", 100, 86, 88, sm100),
    row("sm_100f", 100, 88, 88, sm100),
    row("sm_103", 103, 88, 88, sm100),
    row("sm_103a", 103, 88, 88, sm100),
    row("sm_103f", 103, 88, 88, sm100),
    row("sm_110", 110, 90, 90, sm110),
    row("sm_110a", 110, 90, 90, sm110),
    row("sm_110f", 110, 90, 90, sm110),
    row("sm_120", 120, 87, 88, sm120),
    row("sm_120a", 120, 87, 88, sm120),
    row("sm_120f", 120, 88, 88, sm120),
    row("sm_121", 121, 88, 88, sm120),
    row("sm_121a", 121, 88, 88, sm120),
    row("sm_121f", 121, 88, 88, sm120),
};

const Processor *search(llvm::StringRef name) {
  const Processor *found = llvm::find_if(
      kProcessors, [&](const Processor &processor) { return processor.name == name; });
  return found == std::end(kProcessors) ? nullptr : found;
}

std::string versionText(unsigned version) {
  return llvm::formatv("{0}.{1}", version / 10, version % 10);
}

} // namespace

const Processor &defaultProcessor() {
  static const Processor *processor = search("sm_90a");
  return *processor;
}

llvm::Expected<const Processor *> findProcessor(llvm::StringRef name) {
  if (const Processor *processor = search(name))
    return processor;
  std::string known = llvm::join(
      llvm::map_range(kProcessors, [](const Processor &other) { return other.name; }), ", ");
  return llvm::createStringError(
      llvm::formatv("unknown target '{0}', expected one of {1}", name, known).str());
}

llvm::Expected<CompileTarget> findTarget(llvm::StringRef name) {
  if (name == "sim")
    return CompileTarget{CompileTarget::Kind::Simulator, &defaultProcessor()};
  if (name == "interp")
    return CompileTarget{CompileTarget::Kind::Interpreter, &defaultProcessor()};
  bool isSimulator = name.consume_front("sim:");
  llvm::Expected<const Processor *> processor = findProcessor(name);
  if (!processor)
    return processor.takeError();
  return CompileTarget{isSimulator ? CompileTarget::Kind::Simulator : CompileTarget::Kind::Gpu,
                       *processor};
}

bool isSimulator(llvm::StringRef target) { return target == "sim" || target.starts_with("sim:"); }

std::string simulatorOf(llvm::StringRef target) {
  if (target == defaultProcessor().name)
    return "sim";
  return search(target) ? "sim:" + target.str() : target.str();
}

const Processor *processorOfGpu(int major, int minor) {
  std::string own = "sm_" + std::to_string(major * 10 + minor);
  if (const Processor *processor = search(own + "a"))
    return processor;
  const Processor *newest = nullptr;
  for (const Processor &processor : kProcessors)
    if (processor.computeCapability <= major * 10 + minor && llvm::isDigit(processor.name.back()))
      newest = &processor;
  return newest;
}

llvm::Expected<unsigned> choosePTXVersion(const Processor &processor, unsigned requested) {
  if (requested == 0)
    return processor.defaultPTX;
  if (requested < processor.oldestPTX)
    return llvm::createStringError(llvm::formatv("target '{0}' needs PTX {1} or newer, got {2}",
                                                 processor.name, versionText(processor.oldestPTX),
                                                 versionText(requested))
                                       .str());
  if (requested > kNewestPTX)
    return llvm::createStringError(
        llvm::formatv("PTX {0} is newer than the newest version known, {1}", versionText(requested),
                      versionText(kNewestPTX))
            .str());
  return requested;
}

} // namespace tilec
