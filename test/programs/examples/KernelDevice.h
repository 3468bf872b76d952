// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that runs execute on: the simulator, the interpreter and a CUDA GPU. All put every buffer
// between guard bytes, poison outputs first, and check afterwards that nothing but the outputs has
// changed.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_KERNELDEVICE_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_KERNELDEVICE_H

#include "KernelRun.h"

#include "tilec/Driver/Compiler.h"
#include "tilecrt/sim/Simulator.h"

#include <memory>

namespace tilec::harness {

/// What happened in one run.
struct Outcome {
  /// Empty when the run completed, found nothing and left everything but the outputs alone.
  std::string failure;
  /// The arrays after the run, of the outputs in the order of the arguments.
  std::vector<HostArray> outputs;
  /// The simulator's report; empty on a GPU.
  tilecrt::sim::LaunchResult simulation;
  /// Each finding as text with its source line.
  std::vector<std::string> findings;
  /// The kernel alone, compilation excluded: the median on a GPU when it was measured, wall time on
  /// the simulator.
  double microseconds = 0;
};

/// What a device is to do beyond running.
struct RunOptions {
  /// Check mode of the simulator.
  bool check = true;
  /// Collect the simulator's counters.
  bool counters = false;
  /// Time repeated launches on a GPU.
  bool measure = false;
};

/// The places that the compiler may need.
struct CompilerPlaces {
  /// Folder that KernelRun::file is below.
  std::string sourceFolder;
  ToolSearch tools;
};

/// The places as the environment gives them; the source folder is left empty.
CompilerPlaces placesOfProcess();

/// The version of the ptxas that compilations with these places use; `unavailable` without one.
Result<std::string> ptxasVersionOf(const CompilerPlaces &places);

class KernelDevice {
public:
  virtual ~KernelDevice() = default;

  /// "sim", "sim:sm_80", "interp" or "cuda:0".
  virtual std::string name() const = 0;
  /// One line for people: the GPU's name, or the number of host cores.
  virtual std::string describe() const = 0;
  /// Compiles (or takes from the cache) and runs. A Status says why there was no run; its code is
  /// `unavailable` when this machine lacks something.
  virtual Result<Outcome> run(const KernelRun &run, const RunOptions &options) = 0;
};

/// A run of a kernel that is compiled already.
Result<Outcome> runOnSimulator(const CompiledKernel &kernel, const KernelRun &run,
                               const RunOptions &options);

/// The simulator, for the code of `processor` (a PTX target; empty: the default).
std::unique_ptr<KernelDevice> makeSimDevice(const CompilerPlaces &places,
                                            const std::string &processor = "");
/// The interpreter of the tile dialect.
std::unique_ptr<KernelDevice> makeInterpDevice(const CompilerPlaces &places);
/// `unavailable` when there is no driver or no such device.
Result<std::unique_ptr<KernelDevice>> makeCudaDevice(const CompilerPlaces &places, int ordinal);

/// The result of comparing a run's outputs.
struct Verdict {
  bool passed = false;
  /// The largest over the outputs.
  double relativeL2 = 0;
  double maxAbsError = 0;
  /// How near the tolerance the worst element came; above 1 is off.
  double toleranceUsed = 0;
  /// Why not: the outcome's failure, or the first output that is off.
  std::string reason;
};

Verdict judge(const KernelRun &run, const Outcome &outcome);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_KERNELDEVICE_H
