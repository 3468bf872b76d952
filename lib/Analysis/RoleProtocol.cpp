// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs of a function's protocol, and what is wrong without any.

#include "tilec/Analysis/RoleProtocol.h"

#include "ProtocolMachine.h"
#include "tilec/Analysis/Synchronisation.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Barriers in roles for which warps of other roles would have to come. Those of the CTA among
/// computing warps are made into barriers of these when roles become branches, and the cluster's
/// are for all warps that still run.
static void findWholeBarriers(FunctionOpInterface func, ProtocolReport &report) {
  func.walk([&](WarpRolesOp roles) {
    for (Region *region : {&roles.getLoad(), &roles.getCompute()}) {
      bool isLoad = region == &roles.getLoad();
      region->walk([&](Operation *op) {
        if (isCtaBarrier(op) &&
            (isLoad || !isa<NVVM::Barrier0Op, tile::BarrierOp, ClusterBarrierOp>(op)))
          report.findings.push_back({op,
                                     std::string("barrier of the whole CTA in role '") +
                                         (isLoad ? "load" : "compute") +
                                         "': warps of the other role do not come",
                                     {{roles, "the roles"}}});
      });
    }
  });
}

namespace {
/// One choice of what only a launch knows.
class ProtocolRun {
public:
  explicit ProtocolRun(ProtocolSkeleton &ofSkeleton)
      : skeleton(ofSkeleton), tracer(ofSkeleton), traces(ofSkeleton.roles.size()) {}

  /// False when it is too long.
  bool trace(const ProtocolScenario &scenario);
  std::optional<ProtocolFinding> check();
  size_t numSteps() const {
    size_t count = prologue.size();
    for (const ProtocolMachine::Steps &steps : traces)
      count += steps.size();
    return count;
  }

private:
  bool add(const ProtocolRole &role, ProtocolMachine::Steps &steps);

  ProtocolSkeleton &skeleton;
  ProtocolTracer tracer;
  ProtocolMachine::Steps prologue;
  std::vector<ProtocolMachine::Steps> traces;
  std::optional<ProtocolFinding> miss;
};
} // namespace

bool ProtocolRun::add(const ProtocolRole &role, ProtocolMachine::Steps &steps) {
  steps.clear();
  ProtocolTracer::Result result = tracer.run(role.nodes, steps);
  if (result != ProtocolTracer::Result::Miss)
    return result == ProtocolTracer::Result::Done;
  const ProtocolMiss &wrong = tracer.miss();
  std::string who = role.name.empty() ? "the CTA" : "role '" + role.name + "'";
  miss = ProtocolFinding{wrong.node->op,
                         who + " uses slot " + std::to_string(wrong.slot) + " of a ring of " +
                             std::to_string(wrong.buffers) + " buffers",
                         {}};
  return true;
}

bool ProtocolRun::trace(const ProtocolScenario &scenario) {
  skeleton.scalars().begin(scenario);
  if (!add(skeleton.prologue, prologue))
    return false;
  for (auto [role, steps] : llvm::zip_equal(skeleton.roles, traces)) {
    skeleton.scalars().setGroup(role.group);
    if (!add(role, steps))
      return false;
  }
  return true;
}

std::optional<ProtocolFinding> ProtocolRun::check() {
  if (miss)
    return miss;
  // The one that loads first: it meets what it should have waited for.
  std::optional<ProtocolFinding> found;
  for (size_t ahead = std::max<size_t>(1, traces.size()); ahead > 0 && !found; --ahead)
    found = ProtocolMachine(skeleton).run(prologue, traces, ahead - 1);
  return found;
}

ProtocolReport tilec::checkRoleProtocol(FunctionOpInterface func) {
  ProtocolReport report;
  findWholeBarriers(func, report);
  ProtocolSkeleton skeleton(func);
  if (!skeleton.build()) {
    report.obstacle = skeleton.obstacle;
    report.reason = skeleton.reason;
    return report;
  }
  ProtocolRun run(skeleton);
  constexpr int kCounts = 6;
  // Loops of many iterations have constant bounds, in every run the same: one is enough.
  constexpr size_t kManySteps = 6000;
  bool wasLong = false;
  ProtocolScenario scenario;
  for (bool isVaried : {false, true})
    for (int count = 0; count < kCounts; ++count) {
      scenario.isVaried = isVaried;
      scenario.count = count;
      ++scenario.seed;
      if (wasLong || !run.trace(scenario))
        continue;
      ++report.runs;
      wasLong = run.numSteps() > kManySteps;
      if (std::optional<ProtocolFinding> found = run.check()) {
        report.findings.push_back(std::move(*found));
        return report;
      }
    }
  if (report.runs == 0) {
    report.obstacle = func;
    report.reason = "all runs are too long";
  }
  return report;
}
