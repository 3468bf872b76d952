// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says what the check of the protocol has found (RoleProtocol.h).

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/RoleProtocol.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUCHECKPROTOCOLPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

namespace {
struct CheckProtocol final : tilec::impl::TileGPUCheckProtocolPassBase<CheckProtocol> {
  using Base::Base;

  void runOnOperation() override {
    ProtocolReport report = checkRoleProtocol(getOperation());
    markAllAnalysesPreserved();
    for (const ProtocolFinding &finding : report.findings) {
      InFlightDiagnostic error = finding.op->emitError(finding.message);
      for (const auto &[op, text] : finding.notes)
        error.attachNote(op->getLoc()) << text;
      error.attachNote(getOperation().getLoc())
          << "tilec has made these steps: this is its bug; kernels without tensor copies have none "
             "of them";
    }
    if (report.obstacle)
      remark::missed(report.obstacle->getLoc(),
                     remark::RemarkOpts::name("ProtocolNotChecked").category(remarks::kPipeline))
          << "how slots of rings are handed over is not checked: " << report.reason;
    if (!report.findings.empty())
      signalPassFailure();
  }
};
} // namespace
