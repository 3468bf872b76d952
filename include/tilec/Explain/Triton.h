// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as Triton has compiled it, from the files that it leaves in its cache, and a report on
// it that stands beside ours. Nothing of Triton's runs: what only a launch says is known where it
// was launched.

#ifndef TILEC_EXPLAIN_TRITON_H
#define TILEC_EXPLAIN_TRITON_H

#include "tilec/Driver/CompileOptions.h"
#include "tilec/Explain/GpuRun.h"
#include "tilec/Explain/Report.h"
#include "tilec/Support/SourceBuffer.h"
#include "tilec/Target/CubinFile.h"

#include <map>

namespace tilec::explain {

/// The files of one kernel: NAME.json with what Triton says of it, NAME.cubin, and the texts of its
/// stages.
struct TritonKernel {
  struct Parameter {
    /// The type in signature notation: "*fp32", "i32"; a descriptor's has no such notation.
    std::string name, type;
  };

  std::string folder, name, version;
  /// 90.
  int arch = 0;
  int numWarps = 4, numStages = 1, numCtas = 1;
  int64_t dynamicSharedBytes = 0;
  /// Global memory of a CTA that its launcher provides, for the kernel and for profilers.
  int64_t scratchBytes = 0, profileBytes = 0;
  /// Launched so that all CTAs run at once.
  bool isCooperative = false;
  /// Those of the kernel in order, without what is constant; nothing without a "ttir" or "ttgir".
  std::optional<std::vector<Parameter>> parameters;
  /// By what the files' names end with: "ttir", "ttgir", "llir", "ptx".
  std::map<std::string, std::string> texts;
  std::string cubin;
  /// What the cubin says.
  CubinKernel code;

  int threadsPerCta() const;
};

/// Reads the folder of one kernel. An error names the file and what is wrong with it.
llvm::Expected<TritonKernel> readTritonKernel(llvm::StringRef folder);

/// Why a kernel cannot stand beside a report; empty where it can.
std::string reasonAgainst(const TritonKernel &triton, llvm::StringRef kernel,
                          llvm::StringRef target);

/// What a report on Triton's kernel is about. Nothing of it is owned.
struct TritonSubject {
  const TritonKernel *kernel = nullptr;
  /// The report that it stands beside: of the same launch, for the same GPU.
  const Report *beside = nullptr;
  /// Of the source that both are compiled from.
  const SourceManager *sources = nullptr;
  ToolSearch tools;
  /// Of launches on a GPU, when there were any, and what differs behind both kernels.
  const GpuRun *gpuRun = nullptr;
  std::optional<std::vector<OutputDifference>> outputs;
};

Report explainTriton(const TritonSubject &subject);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_TRITON_H
