// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host as a target. Extensions that change results are left out: x86's bf16 conversions flush
// subnormals, its f16 arithmetic rounds fused multiply-adds differently.

#include "HostMachine.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace tilec;

static bool initializeHost() {
  static std::once_flag once;
  static bool isAvailable = false;
  std::call_once(once, [] {
    isAvailable = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  });
  return isAvailable;
}

/// The extensions to use, in LLVM's notation.
static std::string hostFeatures(const llvm::Triple &triple) {
  constexpr llvm::StringLiteral wanted[] = {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt",
                                            "avx",  "avx2",  "f16c",   "fma",    "bmi",
                                            "bmi2", "lzcnt", "cx16"};
  if (!triple.isX86())
    return {};
  llvm::StringMap<bool> available = llvm::sys::getHostCPUFeatures();
  std::string features;
  for (llvm::StringRef feature : wanted)
    if (available.lookup(feature))
      features += (features.empty() ? "+" : ",+") + feature.str();
  return features;
}

std::string tilec::hostMachineName() {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  return triple.str() + " " + hostFeatures(triple);
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> tilec::createHostMachine(unsigned optLevel) {
  if (!initializeHost())
    return llvm::createStringError("this LLVM has no back end for the host");
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string message;
  const llvm::Target *backEnd = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!backEnd)
    return llvm::createStringError("this LLVM has no back end for the host: " + message);

  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  constexpr llvm::CodeGenOptLevel levels[] = {
      llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less, llvm::CodeGenOptLevel::Default};
  std::unique_ptr<llvm::TargetMachine> machine(backEnd->createTargetMachine(
      triple, triple.getArch() == llvm::Triple::x86_64 ? "x86-64" : "", hostFeatures(triple),
      options, llvm::Reloc::PIC_, llvm::CodeModel::Small, levels[std::min(optLevel, 2u)],
      /*JIT=*/true));
  if (!machine)
    return llvm::createStringError(
        llvm::formatv("cannot create a back end for '{0}'", triple.str()).str());
  return machine;
}
