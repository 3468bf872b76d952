// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as MLIR text, through convert-nvvm-to-sim and the host JIT, on the simulator.

#ifndef TILEC_TEST_UNIT_TARGET_HOSTKERNELFIXTURE_H
#define TILEC_TEST_UNIT_TARGET_HOSTKERNELFIXTURE_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Conversion/NVVMToSim/Passes.h"
#include "tilec/Target/HostJIT.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

namespace tilec {

/// `text` with every `from` as `to`.
inline std::string replaced(llvm::StringRef text, llvm::StringRef from, llvm::StringRef to) {
  std::string result = text.str();
  for (size_t at = 0; (at = result.find(from.str(), at)) != std::string::npos; at += to.size())
    result.replace(at, from.size(), to.str());
  return result;
}

/// A kernel `void f(ptr<1> x, ptr<1> y)` that computes `%r` of type `result` from `%v` of type
/// `source`, one element a thread.
inline std::string elementKernel(llvm::StringRef source, llvm::StringRef result,
                                 llvm::StringRef body, llvm::StringRef declarations = "") {
  return (declarations + R"mlir(
    llvm.func @f(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %px = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, )mlir" +
          source + "\n%py = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, " +
          result + "\n%v = llvm.load %px : !llvm.ptr<1> -> " + source + "\n" + body +
          "\nllvm.store %r, %py : " + result + ", !llvm.ptr<1>\nllvm.return\n}\n")
      .str();
}

class HostKernelFixture : public testing::Test {
protected:
  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    registry.insert<tilegpu::TileGPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    return registry;
  }

  mlir::OwningOpRef<mlir::ModuleOp> lower(llvm::StringRef text, bool count = false) {
    diagnostics.clear();
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) { diagnostics.push_back(diagnostic.str()); });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "test.mlir");
    mlir::PassManager passes(&context);
    ConvertNVVMToSimPassOptions passOptions;
    passOptions.countInstructions = count;
    passes.addPass(createConvertNVVMToSimPass(passOptions));
    if (!module || failed(passes.run(*module)))
      return {};
    return module;
  }

  /// The kernel; null with a test failure when it does not compile.
  std::unique_ptr<HostKernel> compile(llvm::StringRef text, bool count = false,
                                      unsigned optLevel = 1) {
    auto module = lower(text, count);
    if (!module) {
      ADD_FAILURE() << llvm::join(diagnostics, "\n");
      return {};
    }
    HostOptions options;
    options.optLevel = optLevel;
    auto kernel = compileForHost(*module, options);
    if (kernel)
      return std::move(*kernel);
    ADD_FAILURE() << llvm::toString(kernel.takeError());
    return {};
  }

  template <typename Array> static tilecrt::sim::Buffer bufferOf(Array &data, const char *name) {
    return {data.data(), data.size() * sizeof(data[0]), name, false};
  }

  tilecrt::sim::LaunchResult launch(const HostKernel &kernel, std::vector<void *> args,
                                    tilecrt::sim::LaunchConfig config) {
    config.sites = &kernel.sites();
    return tilecrt::sim::launch(kernel.entry(), args.data(), config);
  }

  static std::string describe(const tilecrt::sim::LaunchResult &result, const HostKernel &kernel) {
    tilecrt::sim::LaunchConfig config;
    config.sites = &kernel.sites();
    std::string text = result.error;
    for (const tilecrt::sim::Finding &finding : result.findings)
      text += "\n" + tilecrt::sim::describeFinding(finding, config);
    return text;
  }

  /// Runs an elementKernel over `x`.
  template <typename Y, typename X> std::vector<Y> map(const std::string &text, std::vector<X> x) {
    std::vector<Y> y(x.size());
    auto kernel = compile(text);
    if (!kernel)
      return y;
    void *px = x.data(), *py = y.data();
    tilecrt::sim::LaunchConfig config;
    config.block = {static_cast<uint32_t>(x.size()), 1, 1};
    config.buffers = {bufferOf(x, "x"), bufferOf(y, "y")};
    tilecrt::sim::LaunchResult result = launch(*kernel, {&px, &py}, config);
    EXPECT_TRUE(result.clean()) << describe(result, *kernel);
    return y;
  }

  mlir::MLIRContext context{dialects(), mlir::MLIRContext::Threading::DISABLED};
  std::vector<std::string> diagnostics;
};

} // namespace tilec

#endif // TILEC_TEST_UNIT_TARGET_HOSTKERNELFIXTURE_H
