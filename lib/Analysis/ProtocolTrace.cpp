// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProtocolTrace.h.

#include "ProtocolTrace.h"

using namespace mlir;
using namespace tilec;

using Nodes = std::vector<ProtocolNode>;
using Id = ScalarCode::Id;
using Carry = ScalarCode::Carried;

/// Of a loop, and of a run: launches have longer ones, which show nothing new.
static constexpr int64_t kMostIterations = 512;
static constexpr size_t kMostSteps = 12000;

ProtocolTracer::Result ProtocolTracer::run(const Nodes &nodes, std::vector<ProtocolStep> &steps) {
  out = &steps;
  return runNodes(nodes);
}

ProtocolTracer::Result ProtocolTracer::runNodes(const Nodes &nodes) {
  for (const ProtocolNode &node : nodes) {
    Result result = Result::Done;
    switch (node.kind) {
    case ProtocolNode::Kind::Step:
      result = runStep(node);
      break;
    case ProtocolNode::Kind::For:
      result = runFor(node);
      break;
    case ProtocolNode::Kind::While:
      result = runWhile(node);
      break;
    case ProtocolNode::Kind::If:
      result = runNodes(code.value(node.condition) & 1 ? node.body : node.other);
      break;
    }
    if (result != Result::Done)
      return result;
  }
  return Result::Done;
}

ProtocolTracer::Result ProtocolTracer::placeOf(const ProtocolNode &node, int ring, Id slot,
                                               int &place) {
  if (ring < 0)
    return Result::Done;
  const ProtocolRing &used = skeleton.rings[size_t(ring)];
  int64_t number = slot == ScalarCode::kNone ? 0 : code.value(slot);
  if (number < 0 || number >= used.buffers) {
    missed = {&node, number, used.buffers};
    return Result::Miss;
  }
  place = used.first + int(number);
  return Result::Done;
}

ProtocolTracer::Result ProtocolTracer::runStep(const ProtocolNode &node) {
  if (node.predicate != ScalarCode::kNone && !(code.value(node.predicate) & 1))
    return Result::Done;
  if (out->size() == kMostSteps)
    return Result::TooLong;
  ProtocolStep step;
  step.node = &node;
  for (Result result : {placeOf(node, node.ring, node.slot, step.slot),
                        placeOf(node, node.object, node.objectSlot, step.object)})
    if (result != Result::Done)
      return result;
  if (node.parity != ScalarCode::kNone) {
    step.parity = int(code.value(node.parity) & 1);
    step.isConstant = code.isConstant(node.parity);
  }
  step.name = node.name;
  if (node.group != ScalarCode::kNone)
    step.name += int(code.value(node.group));
  out->push_back(step);
  return Result::Done;
}

SmallVector<int64_t, 8> ProtocolTracer::values(const Carried &carried, Id Carry::*which) {
  SmallVector<int64_t, 8> all;
  for (const Carry &one : carried)
    all.push_back(code.value(one.*which));
  return all;
}

void ProtocolTracer::set(const Carried &carried, Id Carry::*which, ArrayRef<int64_t> values) {
  for (auto [one, value] : llvm::zip_equal(carried, values))
    code.set(one.*which, value);
}

ProtocolTracer::Result ProtocolTracer::runFor(const ProtocolNode &node) {
  auto op = cast<scf::ForOp>(node.op);
  const ScalarCode::Loop loop = code.loop(op);
  int64_t lower = code.value(loop.lower), upper = code.value(loop.upper);
  int64_t step = code.value(loop.step);
  if (upper > lower && (upper - lower - 1) / step >= kMostIterations)
    return Result::TooLong;
  Carried carried = code.carried(op);
  SmallVector<int64_t, 8> current = values(carried, &Carry::init);
  int iteration = 0;
  for (int64_t at = lower; at < upper; at += step, ++iteration) {
    code.enter(loop.frame, code.iterationAmongAll(loop, iteration));
    code.set(loop.counter, at);
    set(carried, &Carry::argument, current);
    if (Result result = runNodes(node.body); result != Result::Done)
      return result;
    current = values(carried, &Carry::next);
  }
  set(carried, &Carry::result, current);
  return Result::Done;
}

ProtocolTracer::Result ProtocolTracer::runWhile(const ProtocolNode &node) {
  auto op = cast<scf::WhileOp>(node.op);
  Carried before = code.carried(op), after = code.carried(op, /*isBehindCondition=*/true);
  int beforeFrame = code.frameOf(op.getBeforeBody()), afterFrame = code.frameOf(op.getAfterBody());
  SmallVector<int64_t, 8> current = values(before, &Carry::init);
  for (int iteration = 0;; ++iteration) {
    code.enter(beforeFrame, iteration);
    set(before, &Carry::argument, current);
    if (Result result = runNodes(node.body); result != Result::Done)
      return result;
    SmallVector<int64_t, 8> handedOn = values(after, &Carry::next);
    if (iteration == code.whileIterations()) {
      set(after, &Carry::result, handedOn);
      return Result::Done;
    }
    code.enter(afterFrame, iteration);
    set(after, &Carry::argument, handedOn);
    if (Result result = runNodes(node.other); result != Result::Done)
      return result;
    current = values(before, &Carry::next);
  }
}
