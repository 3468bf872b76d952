// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of fibers whose stacks lie in one reserved block of memory.
//
// A fiber is reused: when its body returns it waits for the next one, so running many CTAs costs no
// stack allocation. A fiber stopped in the middle of its body is abandoned, never unwound: the
// frames of JIT-compiled code cannot be unwound. Each stack has an unmapped page below it where the
// number of mappings allows.
#ifndef TILEC_RUNTIME_SIM_FIBER_H
#define TILEC_RUNTIME_SIM_FIBER_H

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilecrt::sim {

class FiberSet {
public:
  /// What a fiber runs; must not throw.
  using Body = void (*)(void *argument);

  FiberSet() = default;
  FiberSet(const FiberSet &) = delete;
  FiberSet &operator=(const FiberSet &) = delete;
  ~FiberSet();

  /// Reserves stacks for `count` fibers of at least `stackBytes` each. False when there is no
  /// memory.
  bool create(unsigned count, size_t stackBytes, bool guardPages);

  /// Gives fiber `index` a body to run at the next resume. The fiber must be idle.
  void prepare(unsigned index, Body body, void *argument);

  /// Runs the fiber until it suspends or its body returns. Called outside any fiber of the set.
  void resume(unsigned index);

  /// Goes back to the caller of resume. Called inside fiber `index`.
  void suspend(unsigned index);

  /// Forgets what the fiber was doing; its stack is used again from the top. Nothing on it is
  /// destroyed.
  void abandon(unsigned index);

  /// Tells that fiber `index` was left by a jump back into the frame that resumed it. Abandon it
  /// next.
  void leftByJump(unsigned index);

  /// The lowest usable address of the stack of fiber `index`.
  uintptr_t stackFloor(unsigned index) const;

  /// Whether `address` is within the block of stacks, and if so whether in a guard page.
  bool contains(uintptr_t address) const;
  bool inGuardPage(uintptr_t address) const;

private:
  struct Slot {
    boost::context::fiber inside;  ///< The suspended fiber, seen from outside.
    boost::context::fiber outside; ///< The resumer, seen from inside.
    Body body = nullptr;
    void *argument = nullptr;
    bool stop = false;
    void *tsanInside = nullptr; ///< ThreadSanitizer's names of the two stacks.
    void *tsanOutside = nullptr;
    void *outsideStack = nullptr; ///< For AddressSanitizer's notion of the current stack.
    size_t outsideStackBytes = 0;
    void *fakeStack = nullptr;
  };

  void start(Slot &slot, unsigned index);

  std::vector<Slot> slots;
  char *block = nullptr;
  size_t blockBytes = 0;
  size_t stride = 0; ///< From one stack to the next, guard page included.
  size_t guardBytes = 0;
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_FIBER_H
