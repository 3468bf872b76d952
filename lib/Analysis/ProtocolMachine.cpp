// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProtocolMachine.h.

#include "ProtocolMachine.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tilec;

static std::string arrivalsOf(int count) {
  return std::to_string(count) + (count == 1 ? " arrival" : " arrivals");
}

ProtocolMachine::ProtocolMachine(const ProtocolSkeleton &ofSkeleton)
    : skeleton(ofSkeleton), objects(size_t(ofSkeleton.numSlots)),
      slots(size_t(ofSkeleton.numSlots)) {}

std::string ProtocolMachine::nameOf(size_t number) const {
  StringRef name = roles[number].name;
  return name.empty() ? "the CTA" : "role '" + name.str() + "'";
}

int ProtocolMachine::numberInRing(const ProtocolStep &step) const {
  int ring = step.node->ring >= 0 ? step.node->ring : step.node->object;
  return (step.node->ring >= 0 ? step.slot : step.object) - skeleton.rings[size_t(ring)].first;
}

void ProtocolMachine::fail(Operation *op, std::string message) {
  finding.emplace();
  finding->op = op;
  finding->message = std::move(message);
}

void ProtocolMachine::note(Operation *op, std::string message) {
  if (op)
    finding->notes.emplace_back(op, std::move(message));
}

//===--------------------------------------------------------------------------------------------===//
// Running
//===--------------------------------------------------------------------------------------------===//

void ProtocolMachine::start(size_t number, StringRef name, int threads, const Steps &steps) {
  if (roles.size() <= number)
    roles.resize(number + 1);
  Role &role = roles[number];
  role.name = name;
  role.threads = threads;
  role.steps = &steps;
  role.next = 0;
  if (role.known.empty())
    role.known.assign(objects.size(), -1);
  // What comes before all of it is known.
  role.clock = roles[0].clock;
}

std::optional<ProtocolFinding> ProtocolMachine::run(const Steps &prologue, ArrayRef<Steps> traces,
                                                    size_t first) {
  start(0, skeleton.prologue.name, skeleton.prologue.threads, prologue);
  runRoles(0);
  if (finding || traces.empty())
    return finding;
  for (auto [number, steps] : llvm::enumerate(traces))
    start(number, skeleton.roles[number].name, skeleton.roles[number].threads, steps);
  runRoles(first);
  if (!finding)
    checkBarriers();
  if (!finding && skeleton.endsAlone)
    checkArrivals();
  return finding;
}

void ProtocolMachine::runRoles(size_t first) {
  for (bool moves = true; moves && !finding;) {
    moves = false;
    for (size_t i = 0; i < roles.size() && !moves && !finding; ++i) {
      size_t number = (first + i) % roles.size();
      moves = !roles[number].isDone() && advance(number);
    }
  }
  if (!finding && llvm::any_of(roles, [](const Role &role) { return !role.isDone(); }))
    reportDeadlock();
}

bool ProtocolMachine::advance(size_t number) {
  Role &role = roles[number];
  const ProtocolStep &step = role.step();
  role.clock[number] += role.hasCome ? 0 : 1;
  bool goesOn = true;
  switch (step.node->step) {
  case ProtocolStepKind::Init:
    init(*step.node);
    break;
  case ProtocolStepKind::Inval:
    break;
  case ProtocolStepKind::Wait:
  case ProtocolStepKind::Acquire:
    goesOn = wait(number);
    break;
  case ProtocolStepKind::Copy:
    copy(number);
    break;
  case ProtocolStepKind::Release:
    release(number);
    break;
  case ProtocolStepKind::Read:
  case ProtocolStepKind::AsyncRead:
    read(number, step.node->step == ProtocolStepKind::AsyncRead);
    break;
  case ProtocolStepKind::Write:
    write(number);
    break;
  case ProtocolStepKind::CloseGroups:
    role.open.count = step.node->count;
    role.inFlight.push_back(std::move(role.open));
    role.open = {};
    break;
  case ProtocolStepKind::RetireGroups:
    retire(number, step.node->count);
    break;
  case ProtocolStepKind::NamedBarrier:
  case ProtocolStepKind::BarrierArrival:
    goesOn = meet(number, step.node->step == ProtocolStepKind::NamedBarrier);
    break;
  }
  if (goesOn && !finding)
    ++role.next;
  return goesOn;
}

void ProtocolMachine::init(const ProtocolNode &node) {
  const ProtocolRing &ring = skeleton.rings[size_t(node.object)];
  for (Slot &slot : slots) {
    if (slot.object < ring.first || slot.object >= ring.first + ring.buffers)
      continue;
    if (slot.phase >= int(objects[size_t(slot.object)].waits.size())) {
      fail(node.op, "barrier objects are initialised again while a copy is in flight");
      return note(slot.filler, "the copy");
    }
    slot.object = -1;
  }
  for (int i = ring.first; i < ring.first + ring.buffers; ++i) {
    objects[size_t(i)] = {};
    objects[size_t(i)].init = node.op;
    objects[size_t(i)].count = node.count;
    for (Role &role : roles)
      role.known[size_t(i)] = -1;
  }
}

//===--------------------------------------------------------------------------------------------===//
// Barrier objects
//===--------------------------------------------------------------------------------------------===//

bool ProtocolMachine::wait(size_t number) {
  Role &role = roles[number];
  const ProtocolStep &step = role.step();
  Object &object = objects[size_t(step.object)];
  if (!object.init) {
    fail(step.node->op, nameOf(number) + " waits for a barrier object that is not initialised");
    return false;
  }
  if (step.isConstant && object.constantWait[number] == step.node) {
    reportConstant(number, step);
    return false;
  }
  // A parity other than the present phase's is that of the phase before.
  if ((object.phase & 1) == step.parity)
    return false;
  if (step.isConstant)
    object.constantWait[number] = step.node;
  int ended = object.phase - 1;
  role.known[size_t(step.object)] = ended;
  for (size_t i = 0; i < kMostRoles; ++i)
    role.clock[i] = std::max(role.clock[i], object.ended[i]);
  for (int phase = int(object.waits.size()); phase <= ended; ++phase)
    object.waits.emplace_back(int(number), role.clock[number]);
  return true;
}

void ProtocolMachine::arrive(size_t number, int arrivals) {
  Role &role = roles[number];
  const ProtocolStep &step = role.step();
  Object &object = objects[size_t(step.object)];
  if (!object.init)
    return fail(step.node->op, nameOf(number) + " uses a barrier object that is not initialised");
  int previous = object.phase - 1;
  bool isExpected = object.arrived > 0 || previous < 0;
  if (!isExpected && previous < int(object.waits.size())) {
    auto [waiter, at] = object.waits[size_t(previous)];
    isExpected = knows(role, number, waiter, at);
  }
  auto slot = [&] { return "slot " + std::to_string(numberInRing(step)); };
  if (object.arrived + arrivals > object.count)
    fail(step.node->op, nameOf(number) + " makes " + std::to_string(object.arrived + arrivals) +
                            " arrivals of a phase of " + slot() + " that has " +
                            std::to_string(object.count));
  else if (!isExpected)
    fail(step.node->op, nameOf(number) + " arrives for " + slot() +
                            " again, and nobody has waited for the phase before");
  if (finding) {
    note(object.lastArrival, "arrived before here");
    return note(object.init, "phases of this barrier object have " + arrivalsOf(object.count));
  }
  object.arrived += arrivals;
  object.lastArrival = step.node->op;
  for (size_t i = 0; i < kMostRoles; ++i)
    object.arriving[i] = std::max(object.arriving[i], role.clock[i]);
  if (object.arrived < object.count)
    return;
  object.ended = object.arriving;
  object.arrived = 0;
  ++object.phase;
}

void ProtocolMachine::checkArrivals() {
  for (const Object &object : objects) {
    if (!isa_and_nonnull<tilegpu::SlotReleaseOp>(object.lastArrival) ||
        (object.arrived == 0 && int(object.waits.size()) == object.phase))
      continue;
    fail(object.lastArrival, "arrives at barrier objects of other CTAs, which may have ended: no "
                             "role waits for it");
    return note(object.init, "these objects");
  }
}

void ProtocolMachine::checkBarriers() {
  for (auto [name, barrier] : llvm::enumerate(barriers))
    if (barrier.come > 0)
      return fail(barrier.first, std::to_string(barrier.come) + " of " +
                                     std::to_string(barrier.expected) +
                                     " threads come to named barrier " + std::to_string(name) +
                                     ", where nobody waits");
}

//===--------------------------------------------------------------------------------------------===//
// Slots
//===--------------------------------------------------------------------------------------------===//

void ProtocolMachine::checkRefill(size_t number, const Slot &slot) {
  const Role &role = roles[number];
  const ProtocolStep &step = role.step();
  bool isRead = slot.readsInFlight == 0;
  if (isRead && slot.lastRead)
    isRead = knows(role, number, slot.reader, slot.readStep);
  if (isRead && slot.object >= 0) {
    const Object &object = objects[size_t(slot.object)];
    isRead = slot.phase < int(object.waits.size()) &&
             knows(role, number, object.waits[size_t(slot.phase)].first,
                   object.waits[size_t(slot.phase)].second);
  }
  if (isRead)
    return;
  bool isAlone = roles.size() == 1;
  fail(step.node->op,
       nameOf(number) + " fills slot " + std::to_string(numberInRing(step)) +
           (isAlone ? " again before its reads are done" : " again before it is released"));
  note(slot.filler, "filled before here");
  if (slot.lastRead)
    note(slot.lastRead, "read here by " + nameOf(size_t(slot.reader)));
}

void ProtocolMachine::copy(size_t number) {
  const ProtocolStep &step = roles[number].step();
  Slot &slot = slots[size_t(step.slot)];
  if (slot.filler)
    checkRefill(number, slot);
  if (finding)
    return;
  slot = {};
  slot.filler = step.node->op;
  slot.object = step.object;
  slot.phase = objects[size_t(step.object)].phase;
  arrive(number, step.node->count);
}

void ProtocolMachine::write(size_t number) {
  const ProtocolStep &step = roles[number].step();
  Slot &slot = slots[size_t(step.slot)];
  slot = {};
  slot.filler = step.node->op;
}

void ProtocolMachine::read(size_t number, bool isAsync) {
  Role &role = roles[number];
  const ProtocolStep &step = role.step();
  Slot &slot = slots[size_t(step.slot)];
  auto what = [&] { return nameOf(number) + " reads slot " + std::to_string(numberInRing(step)); };
  if (!slot.filler)
    return fail(step.node->op, what() + ", which nothing has filled");
  if (slot.object >= 0 && role.known[size_t(slot.object)] < slot.phase) {
    fail(step.node->op, what() + " without a wait for the copy into it");
    return note(slot.filler, "the copy");
  }
  if (slot.release) {
    fail(step.node->op, what() + " behind its release");
    return note(slot.release, "released here");
  }
  slot.lastRead = step.node->op;
  slot.reader = int(number);
  slot.readStep = role.clock[number];
  if (!isAsync)
    return;
  ++slot.readsInFlight;
  role.open.slots.push_back(step.slot);
}

void ProtocolMachine::retire(size_t number, int pending) {
  Role &role = roles[number];
  size_t kept = role.inFlight.size();
  for (; kept > 0 && pending > 0; --kept)
    pending -= role.inFlight[kept - 1].count;
  for (; kept > 0; --kept) {
    for (int slot : role.inFlight.front().slots) {
      slots[size_t(slot)].readsInFlight = std::max(0, slots[size_t(slot)].readsInFlight - 1);
      slots[size_t(slot)].readStep = role.clock[number];
    }
    role.inFlight.pop_front();
  }
}

void ProtocolMachine::release(size_t number) {
  const ProtocolStep &step = roles[number].step();
  const ProtocolRing &empty = skeleton.rings[size_t(step.node->object)];
  int place = step.object - empty.first;
  for (int ring : empty.guarded) {
    if (place >= skeleton.rings[size_t(ring)].buffers)
      continue;
    int guarded = skeleton.rings[size_t(ring)].first + place;
    Slot &slot = slots[size_t(guarded)];
    if (slot.readsInFlight > 0) {
      fail(step.node->op, nameOf(number) + " releases slot " + std::to_string(place) +
                              " before the last read of it has retired");
      return note(slot.lastRead, "the read, which is in flight");
    }
    slot.release = step.node->op;
  }
  arrive(number, step.node->count);
}

//===--------------------------------------------------------------------------------------------===//
// Named barriers, deadlocks
//===--------------------------------------------------------------------------------------------===//

bool ProtocolMachine::meet(size_t number, bool waits) {
  Role &role = roles[number];
  const ProtocolNode &node = *role.step().node;
  int name = role.step().name;
  Named &barrier = barriers[size_t(name)];
  if (role.hasCome) {
    // The others have come.
    role.hasCome = barrier.round == role.round;
    return !role.hasCome;
  }
  if (barrier.come == 0) {
    barrier.expected = node.count;
    barrier.first = node.op;
  }
  barrier.come += role.threads;
  if (barrier.expected != node.count || barrier.come > barrier.expected) {
    fail(node.op, "named barrier " + std::to_string(name) + " of " + std::to_string(node.count) +
                      " threads, where " + std::to_string(barrier.come) + " of " + nameOf(number) +
                      " come");
    if (barrier.first != node.op)
      note(barrier.first, "others wait here, for " + std::to_string(barrier.expected));
    return false;
  }
  if (barrier.come < barrier.expected) {
    role.hasCome = waits;
    role.round = barrier.round;
    return !waits;
  }
  barrier.come = 0;
  ++barrier.round;
  return true;
}

bool ProtocolMachine::arrivesLater(size_t number, int object) const {
  const Role &role = roles[number];
  return llvm::any_of(llvm::drop_begin(*role.steps, role.next), [&](const ProtocolStep &step) {
    return step.object == object && (step.node->step == ProtocolStepKind::Copy ||
                                     step.node->step == ProtocolStepKind::Release);
  });
}

void ProtocolMachine::noteArrivals(const ProtocolStep &step) {
  const Object &object = objects[size_t(step.object)];
  note(object.lastArrival, "the last arrival is here");
  note(object.init, "phases of this barrier object have " + arrivalsOf(object.count));
}

void ProtocolMachine::reportConstant(size_t number, const ProtocolStep &step) {
  fail(step.node->op, nameOf(number) + " waits for phases of parity " +
                          std::to_string(step.parity) +
                          " alone, in a loop that goes around more than once");
  note(objects[size_t(step.object)].init, "of this barrier object, whose phases alternate");
}

bool ProtocolMachine::isRepeated(size_t number, const ProtocolStep &step) const {
  const ProtocolRing &ring = skeleton.rings[size_t(step.node->object)];
  return step.isConstant &&
         llvm::any_of(
             ArrayRef(objects).slice(size_t(ring.first), size_t(ring.buffers)),
             [&](const Object &object) { return object.constantWait[number] == step.node; });
}

size_t ProtocolMachine::findGuilty() const {
  // A phase that has some of its arrivals; else one that nobody would end even if all others went
  // on; else a slot that is not released.
  size_t guilty = 0;
  int best = -1;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].isDone())
      continue;
    const ProtocolStep &step = roles[i].step();
    bool comes = false;
    for (size_t other = 0; other < roles.size(); ++other)
      comes |= other != i && step.object >= 0 && arrivesLater(other, step.object);
    bool isStarted = step.object >= 0 && objects[size_t(step.object)].arrived > 0;
    bool isAcquire = step.node->step == ProtocolStepKind::Acquire;
    int score = isStarted ? 3 : !comes ? 2 : isAcquire ? 1 : 0;
    if (score > best)
      best = score, guilty = i;
  }
  return guilty;
}

void ProtocolMachine::reportDeadlock() {
  size_t guilty = findGuilty();
  const ProtocolStep &step = roles[guilty].step();
  if (step.node->step == ProtocolStepKind::NamedBarrier) {
    const Named &barrier = barriers[size_t(step.name)];
    fail(step.node->op, nameOf(guilty) + " waits at named barrier " + std::to_string(step.name) +
                            " of " + std::to_string(step.node->count) + " threads, where " +
                            std::to_string(barrier.come) + " come: deadlock");
  } else if (isRepeated(guilty, step)) {
    reportConstant(guilty, step);
  } else {
    const Object &object = objects[size_t(step.object)];
    std::string message =
        nameOf(guilty) + " waits for a phase of slot " + std::to_string(numberInRing(step));
    fail(step.node->op,
         message + (object.arrived > 0 ? " that has " + std::to_string(object.arrived) + " of " +
                                             std::to_string(object.count) + " arrivals: deadlock"
                                       : " that no arrival ends: deadlock"));
    noteArrivals(step);
  }
  for (size_t i = 0; i < roles.size(); ++i)
    if (i != guilty && !roles[i].isDone())
      note(roles[i].step().node->op, nameOf(i) + " waits here");
}
