// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec doctor: what this machine has, and what each missing thing costs.

#include "Commands.h"
#include "Console.h"
#include "Environment.h"

#include "tilec/Driver/ToolHints.h"

#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Device.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"

#include <thread>

namespace tilec::tool {

namespace {

/// The report, one line per thing, with the cost of a missing one on the next line.
class Report {
public:
  void found(llvm::StringRef what, const llvm::Twine &detail) { line("ok", what, detail); }
  void missing(llvm::StringRef what, const llvm::Twine &why, llvm::StringRef cost) {
    line("--", what, why);
    text += llvm::formatv("{0,-18}costs: {1}\n", "", cost);
    ++count;
  }
  std::string finish() {
    text += count == 0 ? "\nnothing is missing\n"
                       : llvm::formatv("\n{0} missing; everything else works\n",
                                       count == 1 ? "1 thing is"
                                                  : llvm::Twine(count).str() + " things are")
                             .str();
    return std::move(text);
  }

private:
  void line(llvm::StringRef mark, llvm::StringRef what, const llvm::Twine &detail) {
    text += llvm::formatv("[{0}] {1,-13}{2}\n", mark, what, detail.str());
  }

  std::string text;
  unsigned count = 0;
};

constexpr llvm::StringLiteral gpuCost =
    "kernels run on the simulator only (tilec run --device sim); no GPU timings";

void examineDevices(const tilecrt::cuda::Driver &driver, int count, Report &report) {
  for (int i = 0; i < count; ++i) {
    std::string name = "GPU " + std::to_string(i);
    tilecrt::Result<tilecrt::cuda::Device> device = tilecrt::cuda::Device::open(driver, i);
    if (!device.ok()) {
      report.missing(name, device.message(), gpuCost);
      continue;
    }
    const tilecrt::cuda::DeviceProperties &facts = device->properties();
    report.found(name, llvm::formatv("{0}, compute capability {1}.{2}, {3:F1} GiB, {4} "
                                     "multiprocessors, {5} KiB of shared memory a block",
                                     facts.name, facts.computeMajor, facts.computeMinor,
                                     double(facts.totalMemoryBytes) / (1u << 30), facts.smCount,
                                     facts.sharedPerBlockOptIn / 1024)
                           .str());
  }
}

void examineGpu(Report &report) {
  tilecrt::Result<tilecrt::cuda::Driver> driver = tilecrt::cuda::Driver::open();
  if (!driver.ok()) {
    report.missing("CUDA driver", driver.message(), gpuCost);
    return;
  }
  report.found("CUDA driver", "CUDA " + driver->versionText());
  tilecrt::Result<int> count = driver->deviceCount();
  if (!count.ok() || *count == 0)
    report.missing("GPU", count.ok() ? "the driver finds no device" : count.message(), gpuCost);
  else
    examineDevices(*driver, *count, report);
}

void examinePtxas(const ToolSearch &tools, Report &report) {
  constexpr llvm::StringLiteral cost =
      "no cubins (--emit cubin) and no register counts; PTX works, and a GPU's driver compiles it "
      "when a kernel is run";
  llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(tools));
  if (!ptxas) {
    report.missing("ptxas", llvm::toString(ptxas.takeError()), cost);
    return;
  }
  if (llvm::Expected<std::string> version = ptxasVersion(*ptxas))
    report.found("ptxas", *ptxas + ", " + *version);
  else
    report.missing("ptxas", llvm::toString(version.takeError()), cost);
}

void examineMath(const ToolSearch &tools, Report &report) {
  MathLibraries libraries = findMathLibraries(mathLibraryHints(tools));
  bool both = !libraries.libclc.empty() && !libraries.libdevice.empty();
  for (const auto &[name, path] :
       {std::pair("libclc", libraries.libclc), std::pair("libdevice", libraries.libdevice)}) {
    if (!path.empty())
      report.found(name, path);
    else if (both || !(libraries.libclc.empty() && libraries.libdevice.empty()))
      report.found(name, "not found, and not needed: the other library serves");
    else
      report.missing(name, "not found (set TILEC_" + llvm::StringRef(name).upper() + ")",
                     "kernels that call erf, sin, pow, ... do not compile for a GPU; the simulator "
                     "runs them");
  }
}

void examineCpu(Report &report) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<llvm::StringRef> have;
  for (llvm::StringRef name : {"avx", "avx2", "avx512f", "f16c", "fma"})
    if (features.lookup(name))
      have.push_back(name);
  report.found("CPU", llvm::sys::getHostCPUName() + ", " +
                          llvm::Twine(std::max(1u, std::thread::hardware_concurrency())) +
                          " cores" + (have.empty() ? "" : ", ") + llvm::join(have, " "));
  if (!features.lookup("f16c"))
    report.missing("F16C", "the CPU cannot convert fp16", "fp16 kernels are slower simulated");
}

} // namespace

ExitCode execute(const DoctorCommand &command) {
  ToolSearch tools = readToolSearch(command.ptxas);
  Report report;
  report.found("tilec", TILEC_VERSION ", LLVM " LLVM_VERSION_STRING);
  examineGpu(report);
  examinePtxas(tools, report);
  examineMath(tools, report);
  examineCpu(report);
  return writeToStdout(report.finish());
}

} // namespace tilec::tool
