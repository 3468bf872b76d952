// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as MLIR text, and the way from there to PTX, for the tests of this folder.

#ifndef TILEC_TEST_UNIT_TARGET_KERNELFIXTURE_H
#define TILEC_TEST_UNIT_TARGET_KERNELFIXTURE_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Conversion/ThreadToPTX/Passes.h"
#include "tilec/Target/Cubin.h"
#include "tilec/Target/PTX.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tilec {

/// z[i] = x[i] + y[i] for i < n, four elements a thread, with lines of "add.tile" and one place
/// inlined from "lib.tile".
inline std::string vectorAdd() {
  return R"mlir(
    llvm.func @kernel(%x: !llvm.ptr<1> {llvm.align = 16 : i64}, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>, %n: i32)
        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32 loc("add.tile":5:3)
      %pid = nvvm.read.ptx.sreg.ctaid.x : i32 loc("add.tile":4:3)
      %c4 = llvm.mlir.constant(4 : i32) : i32 loc("add.tile":5:3)
      %c512 = llvm.mlir.constant(512 : i32) : i32 loc("add.tile":5:3)
      %a0 = llvm.mul %pid, %c512 : i32 loc("add.tile":5:10)
      %a1 = llvm.mul %tid, %c4 : i32 loc("add.tile":5:10)
      %i = llvm.add %a0, %a1 : i32 loc("add.tile":5:10)
      %p = llvm.icmp "slt" %i, %n : i32 loc("add.tile":6:10)
      %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc("add.tile":7:10)
      %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc("add.tile":8:10)
      %pz = llvm.getelementptr %z[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc("add.tile":10:10)
      %vx = tilegpu.ld_global %px if %p : !llvm.ptr<1> -> vector<4xi32> loc("add.tile":7:12)
      %vy = tilegpu.ld_global %py : !llvm.ptr<1> -> vector<4xi32> loc("add.tile":8:12)
      %fx = llvm.bitcast %vx : vector<4xi32> to vector<4xf32> loc("add.tile":9:12)
      %fy = llvm.bitcast %vy : vector<4xi32> to vector<4xf32> loc("add.tile":9:12)
      %s = llvm.fadd %fx, %fy : vector<4xf32> loc(callsite("lib.tile":33:4 at "add.tile":9:12))
      %sz = llvm.bitcast %s : vector<4xf32> to vector<4xi32> loc("add.tile":10:3)
      tilegpu.st_global %sz, %pz if %p : vector<4xi32>, !llvm.ptr<1> loc("add.tile":10:3)
      llvm.return loc("add.tile":10:3)
    } loc("add.tile":2:1)
  )mlir";
}

/// y[tid] = f(x[tid]) for a function of the math library, `type` "f32" or "f64".
inline std::string mathKernel(llvm::StringRef function, llvm::StringRef type) {
  std::string text = R"mlir(
    llvm.func @FUNCTION(TYPE) -> TYPE
    llvm.func @kernel(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %px = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, TYPE
      %py = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, TYPE
      %v = llvm.load %px : !llvm.ptr<1> -> TYPE
      %r = llvm.call @FUNCTION(%v) : (TYPE) -> TYPE
      llvm.store %r, %py : TYPE, !llvm.ptr<1>
      llvm.return
    }
  )mlir";
  auto replaceAll = [&](llvm::StringRef from, llvm::StringRef to) {
    for (size_t at = text.find(from.str()); at != std::string::npos; at = text.find(from.str()))
      text.replace(at, from.size(), to.str());
  };
  replaceAll("FUNCTION", function);
  replaceAll("TYPE", type);
  return text;
}

/// A context, a module read from text, and convert-thread-to-ptx run on it.
class KernelFixture : public testing::Test {
protected:
  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    registry.insert<tilegpu::TileGPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    return registry;
  }

  /// The lowered module; null with a test failure when the text is not one.
  mlir::OwningOpRef<mlir::ModuleOp> lower(llvm::StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "test.mlir");
    mlir::PassManager passes(&context);
    passes.addPass(createConvertThreadToPTXPass());
    if (!module || failed(passes.run(*module))) {
      ADD_FAILURE() << "the test kernel is malformed";
      return {};
    }
    return module;
  }

  llvm::Expected<PTXResult> compile(llvm::StringRef text, const PTXOptions &options) {
    auto module = lower(text);
    if (!module)
      return llvm::createStringError("no module");
    return translateToPTX(*module, options);
  }

  /// The PTX, or an empty text and a test failure.
  std::string ptxOf(llvm::StringRef text, const PTXOptions &options = {}) {
    auto result = compile(text, options);
    if (result)
      return result->ptx;
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }

  /// The error of a compilation that must fail.
  std::string errorOf(llvm::StringRef text, const PTXOptions &options = {}) {
    auto result = compile(text, options);
    if (!result)
      return llvm::toString(result.takeError());
    ADD_FAILURE() << "compiled, although it should not";
    return {};
  }

  mlir::MLIRContext context{dialects(), mlir::MLIRContext::Threading::DISABLED};
};

inline std::string environmentValue(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// ptxas of this machine, or nothing.
inline std::string ptxasOfMachine() {
  PtxasHints hints;
  hints.environment = environmentValue("TILEC_PTXAS");
  hints.cudaHome = environmentValue("CUDA_HOME");
  hints.searchPath = environmentValue("PATH");
  auto path = findPtxas(hints);
  if (path)
    return *path;
  llvm::consumeError(path.takeError());
  return {};
}

} // namespace tilec

#endif // TILEC_TEST_UNIT_TARGET_KERNELFIXTURE_H
