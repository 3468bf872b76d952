// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report on a launch that can be made again and again on the simulator: the kernel is compiled
// for a GPU, and once more for the simulator, where it runs with counters; of a large grid a
// sample.
//
//   LaunchExplainer explainer(subject);
//   explainer.compile() && explainer.run().ok() -> explainer.report()

#ifndef TILEC_RUN_EXPLAINLAUNCH_H
#define TILEC_RUN_EXPLAINLAUNCH_H

#include "tilec/Explain/Explain.h"
#include "tilec/Explain/Triton.h"
#include "tilec/Run/ArgumentBytes.h"
#include "tilec/Run/MeasuringGpu.h"

namespace tilec {

/// What of a grid is run.
struct LaunchPart {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// So many clusters only, spread over the grid; 0: all.
  uint64_t sampledClusters = 0;
  /// Where a kernel with a timeline writes it; zeros before the run.
  llvm::MutableArrayRef<uint64_t> marks;
};

/// The memory and the arguments of a launch.
class RepeatedLaunch {
public:
  virtual ~RepeatedLaunch();
  /// Whether its values have the tensor maps that were inferred for a kernel.
  virtual bool inferredMapsFit(const tilecrt::KernelMetadata &kernel) = 0;
  /// Runs a kernel for the simulator, with counters, on the memory as it was at first. An error
  /// says why it could not be run; what the kernel did wrong is among the findings.
  virtual tilecrt::Result<tilecrt::sim::LaunchResult> run(const CompiledKernel &kernel,
                                                          const LaunchPart &part) = 0;
  /// The launch on a GPU, with memory of its own there; `unavailable` where the memory is for the
  /// simulator alone. `scratchBytes` of memory are for an argument `scratchArgument` of the kernel.
  virtual tilecrt::Result<std::unique_ptr<ArrayLaunch>> bind(const std::shared_ptr<RunDevice> &gpu,
                                                             const CompiledKernel &kernel,
                                                             uint64_t scratchBytes = 0);
};

/// The names of arguments behind those of the source, which no parameter has: a pointer to memory
/// that a launch provides, null where there are no bytes, and one that is always null.
constexpr const char *scratchArgument = "<scratch>", *unusedArgument = "<unused>";

/// One whose memory is this process's own.
class MemoryLaunch : public RepeatedLaunch {
public:
  bool inferredMapsFit(const tilecrt::KernelMetadata &kernel) override;
  tilecrt::Result<tilecrt::sim::LaunchResult> run(const CompiledKernel &kernel,
                                                  const LaunchPart &part) override;

protected:
  /// Gives the memory the contents that it had.
  virtual tilecrt::Status restore() = 0;
  /// The bytes of an argument, which are as many as it takes.
  virtual tilecrt::Result<std::vector<char>> valueOf(const tilecrt::KernelMetadata &kernel,
                                                     const tilecrt::KernelArgument &argument) = 0;
  /// The memory that the kernel may touch.
  virtual std::vector<tilecrt::sim::Buffer> buffersFor(const tilecrt::KernelMetadata &kernel) = 0;

private:
  tilecrt::Result<ArgumentBytes> valuesFor(const tilecrt::KernelMetadata &kernel, uint64_t marks);
};

/// The outcome of a launch, unless it is an error that is no finding.
tilecrt::Result<tilecrt::sim::LaunchResult> takeResult(const LaunchOutcome &ended,
                                                       Simulation &simulation);

/// A kernel's run-time argument with its value as a report has it. `pointedBytes`: of the memory
/// that a pointer points to.
explain::Argument describeArgument(const std::string &name, const std::string &type,
                                   llvm::StringRef bytes, uint64_t pointedBytes);

struct ExplainSubject {
  SourceManager *sources = nullptr;
  FileId file = 0;
  /// Of the kernel; target and stages are chosen here.
  CompileOptions options;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<explain::Argument> arguments;
  RepeatedLaunch *launch = nullptr;
  /// What times are predicted for; not null.
  const explain::GpuLimits *gpu = nullptr;
  /// Where it is launched for time and samples, too. Null: nowhere; `noGpu` says why, unless that
  /// was not asked for.
  MeasuringGpu *measuringGpu = nullptr;
  std::string noGpu;
  /// Simulates all programs rather than a sample.
  bool allPrograms = false;
  /// With what the warps of one CTA did; `IfQuick`: where that takes a moment, and can be had.
  enum class Timeline { No, IfQuick, Yes } timeline = Timeline::No;
  /// For predict() alone, from a small sample; a kernel that faults is an error of run() then.
  bool onlyPredicts = false;
};

class LaunchExplainer {
public:
  explicit LaunchExplainer(ExplainSubject given) : subject(std::move(given)) {}

  /// False after errors, which are among the messages; see failure().
  bool compile();
  tilecrt::Status run();
  /// After both.
  explain::Report report() const;
  /// After report(), which it stands beside: what Triton has made of the same source, launched as
  /// this is where that was asked for. An error says why the two cannot be compared.
  tilecrt::Result<explain::Report> explainTriton(const explain::TritonKernel &triton,
                                                 const explain::Report &beside);
  /// The predicted time in microseconds.
  double predict() const;

  /// What the GPU said, when it was asked for.
  const std::optional<explain::GpuRun> &getGpuRun() const { return gpuRun; }
  /// And of Triton's kernel.
  const std::optional<explain::GpuRun> &getTritonRun() const { return tritonRun; }

  /// Of the compilation: of the one for the simulator where that alone failed. Remarks are there.
  const DiagnosticEngine &getMessages() const { return messages; }
  Failure failure() const { return why; }

private:
  std::unique_ptr<CompiledKernel> compileFor(Compiler &with, SourceManager &from, FileId of,
                                             const CompileOptions &options,
                                             DiagnosticEngine &diagnostics) const;
  CompileOptions optionsFor(const std::string &target) const;
  explain::Subject describe() const;
  uint64_t programs() const {
    return uint64_t(subject.grid[0]) * subject.grid[1] * subject.grid[2];
  }
  /// The part of a grid with so many programs; 0: all.
  LaunchPart partOf(uint64_t sample, const tilecrt::KernelMetadata &metadata) const;
  /// What code is made for: the GPU that it is launched on, else the one that times are for.
  std::string processor() const;
  tilecrt::Status count();
  explain::GpuRun runOnGpu();
  explain::GpuRun measure(MeasuringGpu::Bind bind);
  explain::GpuRun runTriton(const explain::TritonKernel &triton,
                            std::optional<std::vector<explain::OutputDifference>> &outputs);
  tilecrt::Status followWarps();

  ExplainSubject subject;
  Compiler compiler;
  Failure why = Failure::None;
  DiagnosticEngine messages{/*limit=*/0};
  std::unique_ptr<CompiledKernel> kernel, simulated;
  tilecrt::sim::LaunchResult outcome;
  std::optional<uint64_t> simulatedPrograms;
  std::optional<explain::GpuRun> gpuRun, tritonRun;
  std::optional<explain::Timeline> timeline;
  std::vector<std::pair<std::string, int>> timelinePlaces;
};

} // namespace tilec

#endif // TILEC_RUN_EXPLAINLAUNCH_H
