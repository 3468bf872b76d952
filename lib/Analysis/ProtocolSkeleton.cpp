// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProtocolSkeleton.h.

#include "ProtocolSkeleton.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/RingSlots.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

using Nodes = std::vector<ProtocolNode>;

ProtocolSkeleton::ProtocolSkeleton(FunctionOpInterface function) : func(function) {}

int ProtocolSkeleton::addRing(Value descriptor, bool isCopied) {
  LocalAllocOp alloc = allocOf(descriptor);
  if (!alloc)
    return -1;
  if (isCopied)
    copiedRings.insert(alloc);
  auto [entry, isNew] = ringNumbers.try_emplace(alloc, int(rings.size()));
  if (isNew) {
    ProtocolRing &ring = rings.emplace_back();
    ring.alloc = alloc;
    ring.buffers = int(alloc.getType().getBuffers());
    ring.first = numSlots;
    numSlots += ring.buffers;
  }
  return entry->second;
}

int ProtocolSkeleton::ringOf(Value descriptor) const {
  LocalAllocOp alloc = allocOf(descriptor);
  auto found = alloc ? ringNumbers.find(alloc) : ringNumbers.end();
  return found == ringNumbers.end() ? -1 : found->second;
}

/// The barrier objects that a step is about, and which of them; nothing stands for all.
static std::pair<Value, Value> objectOf(Operation *op) {
  if (auto init = dyn_cast<MbarrierInitOp>(op))
    return {init.getBarriers(), {}};
  if (auto inval = dyn_cast<MbarrierInvalOp>(op))
    return {inval.getBarriers(), {}};
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    return {wait.getBarriers(), wait.getSlot()};
  if (auto acquire = dyn_cast<SlotAcquireOp>(op))
    return {acquire.getEmpty(), acquire.getSlot()};
  if (auto release = dyn_cast<SlotReleaseOp>(op))
    return {release.getEmpty(), release.getSlot()};
  if (auto copy = dyn_cast<TmaLoadOp>(op))
    return {copy.getBarriers(), copy.getSlot()};
  if (auto send = dyn_cast<SendProgramOp>(op))
    return {send.getBarriers(), send.getSlot()};
  return {};
}

void ProtocolSkeleton::findRings() {
  func.walk([&](Operation *op) {
    if (auto init = dyn_cast<MbarrierInitOp>(op))
      addRing(init.getBarriers(), false);
    else if (auto wait = dyn_cast<MbarrierWaitOp>(op))
      addRing(wait.getBarriers(), false);
    else if (Value buffer = filledBy(op))
      addRing(buffer, true), addRing(objectOf(op).first, false);
  });
  func.walk([&](SlotAcquireOp acquire) {
    int empty = addRing(acquire.getEmpty(), false);
    if (empty < 0)
      return;
    for (Operation *user : acquire.getFull().getUsers())
      if (Value buffer = filledBy(user))
        if (int ring = ringOf(buffer);
            ring >= 0 && !llvm::is_contained(rings[size_t(empty)].guarded, ring))
          rings[size_t(empty)].guarded.push_back(ring);
  });
}

bool ProtocolSkeleton::isStep(Operation *op) const {
  if (isa<MbarrierInitOp, MbarrierInvalOp, MbarrierWaitOp, SlotAcquireOp, SlotReleaseOp, TmaLoadOp,
          WgmmaOp, WgmmaWaitOp, NamedBarrierOp, TurnWaitOp, TurnPassOp>(op))
    return true;
  if (op->getNumRegions() > 0 || isa<MemDescIndexOp, MemDescPermuteOp>(op))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemDescType>(operand.getType()) && ringOf(operand) >= 0;
  });
}

void ProtocolSkeleton::addToSteps(Operation *op) {
  for (; op != func && steps.insert(op).second;)
    op = op->getParentOp();
}

void ProtocolSkeleton::findSteps() {
  func.walk([&](Operation *op) {
    if (isStep(op))
      addToSteps(op);
  });
}

bool ProtocolSkeleton::addFunction() {
  code.emplace(steps);
  prologue = {};
  roles.clear();
  prologue.threads = 32 * int(numWarpsOf(func));
  return addBlock(func.getFunctionBody().front(), prologue.nodes);
}

bool ProtocolSkeleton::build() {
  findRings();
  if (rings.empty())
    return false;
  if (!func.getFunctionBody().hasOneBlock())
    return refuse(func, "the control flow is not structured");
  findSteps();
  if (!addFunction())
    return false;
  // Loops of nothing but scalars that the steps use are followed, too.
  while (!code->unfollowed().empty()) {
    for (Operation *loop : code->unfollowed())
      addToSteps(loop);
    if (!addFunction())
      return false;
  }
  code->chooseBounds();
  return true;
}

bool ProtocolSkeleton::addBlock(Block &block, Nodes &nodes) {
  for (Operation &op : block) {
    if (!steps.contains(&op))
      continue;
    if (op.getNumRegions() > 0 ? !addControl(&op, nodes) : !addStep(&op, nodes))
      return false;
  }
  return true;
}

/// The most slots that a ring of objects has whose phases are waited for.
static int deepestRing(const Nodes &nodes, ArrayRef<ProtocolRing> rings) {
  int depth = 1;
  for (const ProtocolNode &node : nodes) {
    if (node.object >= 0)
      depth = std::max(depth, rings[size_t(node.object)].buffers);
    depth = std::max({depth, deepestRing(node.body, rings), deepestRing(node.other, rings)});
  }
  return depth;
}

static bool hasLoops(const Nodes &nodes) {
  return llvm::any_of(nodes, [](const ProtocolNode &node) {
    return node.kind == ProtocolNode::Kind::For || node.kind == ProtocolNode::Kind::While ||
           hasLoops(node.body) || hasLoops(node.other);
  });
}

void ProtocolSkeleton::describeLoop(scf::ForOp loop, const Nodes &body) {
  ScalarCode::Loop &described = code->loop(loop);
  described.depth = std::max(described.depth, deepestRing(body, rings));
  described.isOuter |= hasLoops(body);
  if (!loop.getBody()->getOps<TurnWaitOp>().empty())
    described.turns = computeGroupsOf(func);
}

bool ProtocolSkeleton::addControl(Operation *op, Nodes &nodes) {
  if (auto warpRoles = dyn_cast<WarpRolesOp>(op))
    return addRoles(warpRoles);
  ProtocolNode node;
  node.op = op;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    node.kind = ProtocolNode::Kind::For;
    code->loop(loop);
    if (!addBlock(*loop.getBody(), node.body))
      return false;
    describeLoop(loop, node.body);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    node.kind = ProtocolNode::Kind::If;
    node.condition = code->of(branch.getCondition());
    if (!addBlock(*branch.thenBlock(), node.body) ||
        (branch.elseBlock() && !addBlock(*branch.elseBlock(), node.other)))
      return false;
  } else if (auto repeat = dyn_cast<scf::WhileOp>(op)) {
    node.kind = ProtocolNode::Kind::While;
    if (!addBlock(*repeat.getBeforeBody(), node.body) ||
        !addBlock(*repeat.getAfterBody(), node.other))
      return false;
  } else {
    return refuse(op, "this control flow is not followed");
  }
  nodes.push_back(std::move(node));
  return true;
}

bool ProtocolSkeleton::addRoles(WarpRolesOp op) {
  if (!roles.empty())
    return refuse(op, "roles are parted twice");
  size_t groups = size_t(computeGroupsOf(func));
  roles.resize(groups + 1);
  for (size_t group = 0; group < groups; ++group) {
    roles[group].name = groups == 1 ? "compute" : "compute " + std::to_string(group);
    roles[group].threads = 32 * int(numWarpsOf(func));
    roles[group].group = int(group);
  }
  ProtocolRole &load = roles.back();
  load.name = "load";
  // One warp of those that are launched for it.
  load.threads = 32;
  auto isLastBarrier = [&](ClusterBarrierOp barrier) { return op->isBeforeInBlock(barrier); };
  endsAlone = numCtasOf(func) > 1 &&
              llvm::none_of(op->getBlock()->getOps<ClusterBarrierOp>(), isLastBarrier);
  // The loads come first in the text.
  if (!addBlock(op.getLoad().front(), load.nodes) ||
      !addBlock(op.getCompute().front(), roles[0].nodes))
    return false;
  for (size_t group = 1; group < groups; ++group)
    roles[group].nodes = roles[0].nodes;
  return true;
}

bool ProtocolSkeleton::addObjectStep(Operation *op, Value objects, Value slot, Nodes &nodes) {
  ProtocolNode node;
  node.op = op;
  if (auto init = dyn_cast<MbarrierInitOp>(op)) {
    node.step = ProtocolStepKind::Init;
    node.count = int(init.getCount());
  } else if (isa<MbarrierInvalOp>(op)) {
    node.step = ProtocolStepKind::Inval;
  } else if (auto wait = dyn_cast<MbarrierWaitOp>(op)) {
    node.step = ProtocolStepKind::Wait;
    node.parity = code->of(wait.getParity());
  } else if (auto acquire = dyn_cast<SlotAcquireOp>(op)) {
    node.step = ProtocolStepKind::Acquire;
    node.parity = code->of(acquire.getParity());
    if (acquire.getPredicate())
      node.predicate = code->of(acquire.getPredicate());
  } else if (auto release = dyn_cast<SlotReleaseOp>(op)) {
    node.step = ProtocolStepKind::Release;
    // One lane of each warp arrives, here and from the other CTAs of a cluster.
    node.count = int(numWarpsOf(func) * numCtasOf(func));
    if (release.getPredicate())
      node.predicate = code->of(release.getPredicate());
  } else if (!describeCopy(op, node)) {
    return false;
  }
  node.object = ringOf(objects);
  if (node.object < 0)
    return refuse(op, "its barrier objects are not known");
  node.objectSlot = slot ? code->of(slot) : code->constant(0);
  nodes.push_back(std::move(node));
  return true;
}

bool ProtocolSkeleton::addStep(Operation *op, Nodes &nodes) {
  if (!roles.empty() && op->getBlock() == &func.getFunctionBody().front())
    return refuse(op, "it comes behind the roles");
  if (auto [objects, slot] = objectOf(op); objects)
    return addObjectStep(op, objects, slot, nodes);
  if (auto product = dyn_cast<WgmmaOp>(op)) {
    addProduct(product, nodes);
    return true;
  }
  ProtocolNode node;
  node.op = op;
  if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
    node.step = ProtocolStepKind::RetireGroups;
    node.count = int(wait.getPending());
    nodes.push_back(std::move(node));
  } else if (!addBarrier(op, nodes)) {
    addAccesses(op, nodes);
  }
  return true;
}

bool ProtocolSkeleton::addBarrier(Operation *op, Nodes &nodes) {
  ProtocolNode node;
  node.op = op;
  node.step = ProtocolStepKind::NamedBarrier;
  node.name = kTurnBarrier;
  node.count = 32 * computingWarpsOf(func);
  if (auto barrier = dyn_cast<NamedBarrierOp>(op); barrier && !barrier.getGroup()) {
    node.name = int(barrier.getName());
    node.count = int(barrier.getThreads());
    if (barrier.getArrive())
      node.step = ProtocolStepKind::BarrierArrival;
  } else if (auto wait = dyn_cast<TurnWaitOp>(op)) {
    node.group = code->of(wait.getGroup());
  } else if (auto pass = dyn_cast<TurnPassOp>(op)) {
    node.step = ProtocolStepKind::BarrierArrival;
    node.group = code->otherGroup(code->of(pass.getGroup()));
    node.predicate = code->of(pass.getPredicate());
  } else {
    return false;
  }
  nodes.push_back(std::move(node));
  return true;
}

std::pair<int, ScalarCode::Id> ProtocolSkeleton::slotOf(Value view) {
  int ring = ringOf(view);
  if (ring < 0 || !copiedRings.contains(rings[size_t(ring)].alloc))
    return {-1, ScalarCode::kNone};
  while (auto permute = view.getDefiningOp<MemDescPermuteOp>())
    view = permute.getSource();
  auto index = view.getDefiningOp<MemDescIndexOp>();
  return {ring, index ? code->of(index.getIndex()) : code->constant(0)};
}

bool ProtocolSkeleton::describeCopy(Operation *op, ProtocolNode &node) {
  node.step = ProtocolStepKind::Copy;
  node.count = 1;
  if (auto copy = dyn_cast<TmaLoadOp>(op)) {
    node.count = int(copy.getArrivals());
    if (copy.getPredicate())
      node.predicate = code->of(copy.getPredicate());
  }
  std::tie(node.ring, node.slot) = slotOf(filledBy(op));
  return node.ring >= 0 || refuse(op, "its buffer is not known");
}

void ProtocolSkeleton::addAccesses(Operation *op, Nodes &nodes) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  auto async = dyn_cast<AsyncOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemDescType>(operand.get().getType()))
      continue;
    ProtocolNode node;
    node.op = op;
    std::tie(node.ring, node.slot) = slotOf(operand.get());
    if (node.ring < 0)
      continue;
    bool isProduct = isa<WgmmaOp>(op);
    node.step = isProduct && !async.isSynchronous(operand) ? ProtocolStepKind::AsyncRead
                                                           : ProtocolStepKind::Read;
    if (effects && !isProduct) {
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffectsOnValue(operand.get(), instances);
      if (llvm::any_of(instances, [](auto &instance) {
            return isa<MemoryEffects::Write>(instance.getEffect());
          }))
        node.step = ProtocolStepKind::Write;
    }
    nodes.push_back(std::move(node));
  }
}

void ProtocolSkeleton::addProduct(WgmmaOp product, Nodes &nodes) {
  addAccesses(product, nodes);
  ProtocolNode node;
  node.op = product;
  node.step = ProtocolStepKind::CloseGroups;
  node.count = int(product.getNumAsyncGroups());
  nodes.push_back(node);
  // The parts of a sum that is cut are waited for at once.
  if (product.isCut()) {
    node.step = ProtocolStepKind::RetireGroups;
    node.count = 0;
    nodes.push_back(std::move(node));
  }
}
