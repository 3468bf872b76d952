// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX to cubin: finds NVIDIA's assembler, ptxas, runs it on temporary files, and reads from its
// report what the kernel takes of the machine.

#ifndef TILEC_TARGET_CUBIN_H
#define TILEC_TARGET_CUBIN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// Where ptxas may be, in the order searched. Empty members are skipped. The library reads no
/// environment variable itself: the caller passes their values.
struct PtxasHints {
  /// Path named by an option; when given it is the only place searched.
  std::string option;
  /// Value of TILEC_PTXAS; when given and no option is, it is the only place searched.
  std::string environment;
  /// Root of a CUDA toolkit (CUDA_HOME or CUDA_PATH).
  std::string cudaHome;
  /// Folders of the search path, separated by ':'.
  std::string searchPath;
  /// Folders where toolkits usually are.
  std::vector<std::string> installFolders = {"/usr/local/cuda/bin"};
};

/// No ptxas: not an error of the program, and the caller may go on with PTX alone.
class PtxasNotFound : public llvm::ErrorInfo<PtxasNotFound> {
public:
  static char ID;

  explicit PtxasNotFound(std::vector<std::string> paths) : searched(std::move(paths)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  /// Every path that was tried.
  std::vector<std::string> searched;
};

/// ptxas ran and refused the PTX, or did not run to its end.
class PtxasFailed : public llvm::ErrorInfo<PtxasFailed> {
public:
  static char ID;

  explicit PtxasFailed(std::string message) : text(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  /// What happened, with the assembler's own words.
  std::string text;
};

/// The first executable ptxas, or PtxasNotFound.
llvm::Expected<std::string> findPtxas(const PtxasHints &hints);

/// "release 12.4, V12.4.99", as the program says of itself; PtxasFailed when it does not run.
llvm::Expected<std::string> ptxasVersion(llvm::StringRef ptxas);

/// The first executable nvdisasm: beside the ptxas that was named, or where ptxas is looked for.
std::optional<std::string> findDisassembler(const PtxasHints &hints);

/// What nvdisasm writes of a cubin with these options.
llvm::Expected<std::string> disassemble(llvm::StringRef cubin, llvm::StringRef disassembler,
                                        llvm::ArrayRef<llvm::StringRef> options);

/// How to assemble.
struct CubinOptions {
  std::string target = "sm_90a";
  /// Whether the cubin maps instructions to source lines (from the PTX's '.loc' lines).
  bool lineInfo = true;
  /// ptxas's own optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// Most registers of a thread; 0 leaves it to ptxas.
  unsigned maxRegisters = 0;
  /// Assemble a second time with more CTAs per multiprocessor when this share of the registers, in
  /// percent, keeps one out, and take that unless it spills or serializes dots. 0 assembles once;
  /// so does PTX of more than a megabyte.
  unsigned occupancyReach = 15;
  /// The same for kernels with dots by warpgroups: beside their accumulators most registers hold
  /// addresses, which are cheap to compute again.
  unsigned dotOccupancyReach = 25;
  /// Dynamic shared memory of a launch in bytes, for the same decision.
  int dynamicSharedBytes = 0;
  /// Seconds after which ptxas is ended; 0 waits for ever.
  unsigned timeoutSeconds = 0;
};

/// What ptxas reported about one kernel. Bytes are per thread, except shared memory's.
struct KernelResources {
  std::string kernel;
  int registers = -1;
  int spillStoreBytes = 0;
  int spillLoadBytes = 0;
  int stackBytes = 0;
  /// Statically declared shared memory of a CTA.
  int sharedBytes = 0;
  int barriers = 0;
  /// Why every wgmma waits for the one before it, in the assembler's words; empty when they are in
  /// flight together, as they were written.
  std::string serializedDots;
};

/// A cubin and the assembler's report.
struct CubinResult {
  std::string cubin;
  /// In the order of the report.
  std::vector<KernelResources> kernels;
  /// The report as printed, warnings included.
  std::string log;
};

/// Reads the report of 'ptxas -v'. Lines it does not know are skipped.
std::vector<KernelResources> parsePtxasReport(llvm::StringRef report);

/// Assembles `ptx`. Temporary files are gone when it returns, whatever happened. Errors:
/// PtxasFailed; PtxasNotFound when `ptxas` is not a program.
llvm::Expected<CubinResult> assemblePTX(llvm::StringRef ptx, llvm::StringRef ptxas,
                                        const CubinOptions &options);

} // namespace tilec

#endif // TILEC_TARGET_CUBIN_H
