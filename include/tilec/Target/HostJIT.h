// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel after convert-nvvm-to-sim (LLVM dialect) to a function in this process that the
// simulator can run.
//
//   auto kernel = compileForHost(module, {});
//   config.sites = &kernel->sites();
//   auto result = tilecrt::sim::launch(kernel->entry(), args, config);
//
// Every function may be called from several threads at once, each with its own MLIRContext. Nothing
// is printed, and LLVM's diagnostics and fatal errors come back as llvm::Error. The code is the
// same on every host of one architecture but for instructions that change no result: arithmetic is
// IEEE with subnormals, nothing is contracted or reassociated.

#ifndef TILEC_TARGET_HOSTJIT_H
#define TILEC_TARGET_HOSTJIT_H

#include "tilecrt/sim/Simulator.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace tilec {

/// How to compile for the host.
struct HostOptions {
  /// The kernel to compile; empty: the only one.
  std::string kernel;
  /// 0 to 2 are LLVM's levels; the default compiles fast. More does not pay: simulated kernels
  /// spend their time in the runtime.
  unsigned optLevel = 1;
};

/// The object file of a kernel and what it takes to link it again, in a process of the same build
/// of tilec on a host of the same hostIdentity().
struct HostImage {
  std::string object;
  /// The entry's symbol in it.
  std::string symbol;
  /// The kernel's own name.
  std::string kernel;
  std::vector<tilecrt::sim::Site> sites;
};

/// Host code of one kernel; it stays valid as long as this object lives.
class HostKernel {
public:
  struct Impl;

  explicit HostKernel(std::unique_ptr<Impl> members);
  HostKernel(const HostKernel &) = delete;
  HostKernel &operator=(const HostKernel &) = delete;
  ~HostKernel();

  /// What tilecrt::sim::launch takes. `args[i]` points to the kernel's i-th argument: a pointer, an
  /// integer or a float in its own size, a boolean in a byte.
  tilecrt::sim::KernelEntry entry() const;
  /// For LaunchConfig::sites.
  const std::vector<tilecrt::sim::Site> &sites() const;
  /// The kernel's own name.
  const std::string &name() const;
  const HostImage &image() const;

private:
  std::unique_ptr<Impl> impl;
};

/// Compiles a kernel of `module`, which is left as it is.
llvm::Expected<std::unique_ptr<HostKernel>> compileForHost(mlir::ModuleOp module,
                                                           const HostOptions &options);

/// Links a kernel that was compiled before. Fails when the object file is none.
llvm::Expected<std::unique_ptr<HostKernel>> loadHostKernel(HostImage image);

/// The processor and its extensions that host code is made for.
std::string hostIdentity();

/// The optimised LLVM assembly that compileForHost makes code from.
llvm::Expected<std::string> translateToHostLLVM(mlir::ModuleOp module, const HostOptions &options);

} // namespace tilec

#endif // TILEC_TARGET_HOSTJIT_H
