// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibers on Boost.Context, with stacks carved out of one anonymous mapping, and the notes that
// AddressSanitizer and ThreadSanitizer need when the stack pointer moves from one stack to another.
#include "runtime/sim/Fiber.h"

#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILEC_SIM_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TILEC_SIM_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TILEC_SIM_ASAN 1
#endif

#ifdef TILEC_SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef TILEC_SIM_TSAN
#include <sanitizer/tsan_interface.h>
// Not a function: ThreadSanitizer counts calls and returns, and this is between a call on one stack
// and its return on the other.
#define TILEC_SIM_SWITCH_TO(fiber) __tsan_switch_to_fiber(fiber, 0)
#else
#define TILEC_SIM_SWITCH_TO(fiber) (void)(fiber)
#endif

using boost::context::fiber;

namespace tilecrt::sim {
namespace {

/// The set owns the stacks, so the fibers' own allocator gives nothing back.
struct BorrowedStack {
  boost::context::stack_context context;
  boost::context::stack_context allocate() { return context; }
  void deallocate(boost::context::stack_context &) {}
};

void leaveStack([[maybe_unused]] void **fakeStack, [[maybe_unused]] const void *bottom,
                [[maybe_unused]] size_t bytes) {
#ifdef TILEC_SIM_ASAN
  __sanitizer_start_switch_fiber(fakeStack, bottom, bytes);
#endif
}

void enterStack([[maybe_unused]] void *fakeStack, [[maybe_unused]] void **oldBottom,
                [[maybe_unused]] size_t *oldBytes) {
#ifdef TILEC_SIM_ASAN
  __sanitizer_finish_switch_fiber(fakeStack, const_cast<const void **>(oldBottom), oldBytes);
#endif
}

/// Forgets what AddressSanitizer knows of a stack whose frames have not been left: new memory is
/// addressable. (Poisoning by hand may be switched off.)
void clearAsanStack([[maybe_unused]] char *bottom, [[maybe_unused]] size_t bytes) {
#ifdef TILEC_SIM_ASAN
  mmap(bottom, bytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED, -1, 0);
#endif
}

void makeTsanFiber([[maybe_unused]] void **inside, [[maybe_unused]] void **outside) {
#ifdef TILEC_SIM_TSAN
  if (!*inside)
    *inside = __tsan_create_fiber(0);
  *outside = __tsan_get_current_fiber();
#endif
}

void dropTsanFiber([[maybe_unused]] void **inside) {
#ifdef TILEC_SIM_TSAN
  if (*inside)
    __tsan_destroy_fiber(*inside);
  *inside = nullptr;
#endif
}

/// Drops a suspended fiber without running its destructor, which would unwind its stack.
void forget(fiber &suspended) {
  alignas(fiber) char grave[sizeof(fiber)];
  new (grave) fiber(std::move(suspended));
}

} // namespace

FiberSet::~FiberSet() {
  for (Slot &slot : slots) {
    if (slot.inside)
      forget(slot.inside);
    dropTsanFiber(&slot.tsanInside);
  }
  if (block)
    munmap(block, blockBytes);
}

bool FiberSet::create(unsigned count, size_t stackBytes, bool guardPages) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  stackBytes = (stackBytes + page - 1) / page * page;
  guardBytes = guardPages ? page : 0;
  stride = stackBytes + guardBytes;
  blockBytes = stride * count;
  void *memory = mmap(nullptr, blockBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  block = static_cast<char *>(memory);
  for (unsigned i = 0; guardPages && i < count; ++i)
    if (mprotect(block + i * stride, page, PROT_NONE) != 0)
      break; // Out of mappings: the remaining stacks go without a guard page.
  slots = std::vector<Slot>(count);
  return true;
}

void FiberSet::prepare(unsigned index, Body body, void *argument) {
  slots[index].body = body;
  slots[index].argument = argument;
}

void FiberSet::start(Slot &slot, unsigned index) {
  BorrowedStack stack;
  clearAsanStack(block + index * stride + guardBytes, stride - guardBytes);
  stack.context.size = stride - guardBytes;
  stack.context.sp = block + (index + 1) * stride;
  // Making a fiber runs it for a moment.
  makeTsanFiber(&slot.tsanInside, &slot.tsanOutside);
  TILEC_SIM_SWITCH_TO(slot.tsanInside);
  slot.inside = fiber(std::allocator_arg, stack, [this, index](fiber &&resumer) {
    Slot &self = slots[index];
    enterStack(nullptr, &self.outsideStack, &self.outsideStackBytes);
    self.outside = std::move(resumer);
    while (true) {
      self.body(self.argument);
      suspend(index);
    }
    return std::move(self.outside);
  });
  TILEC_SIM_SWITCH_TO(slot.tsanOutside);
}

void FiberSet::resume(unsigned index) {
  Slot &slot = slots[index];
  if (!slot.inside)
    start(slot, index);
  void *fakeStack = nullptr;
  leaveStack(&fakeStack, block + index * stride + guardBytes, stride - guardBytes);
  makeTsanFiber(&slot.tsanInside, &slot.tsanOutside);
  TILEC_SIM_SWITCH_TO(slot.tsanInside);
  slot.inside = std::move(slot.inside).resume();
  enterStack(fakeStack, nullptr, nullptr);
}

void FiberSet::suspend(unsigned index) {
  Slot &slot = slots[index];
  leaveStack(&slot.fakeStack, slot.outsideStack, slot.outsideStackBytes);
  TILEC_SIM_SWITCH_TO(slot.tsanOutside);
  slot.outside = std::move(slot.outside).resume();
  enterStack(slot.fakeStack, &slot.outsideStack, &slot.outsideStackBytes);
}

void FiberSet::abandon(unsigned index) {
  Slot &slot = slots[index];
  if (slot.inside)
    forget(slot.inside);
  // When the fiber died inside, its idea of the outside is a stale context that must not be
  // destroyed.
  if (slot.outside)
    forget(slot.outside);
  dropTsanFiber(&slot.tsanInside);
}

void FiberSet::leftByJump(unsigned index) {
  Slot &slot = slots[index];
  leaveStack(nullptr, slot.outsideStack, slot.outsideStackBytes);
  TILEC_SIM_SWITCH_TO(slot.tsanOutside);
  enterStack(nullptr, nullptr, nullptr);
}

uintptr_t FiberSet::stackFloor(unsigned index) const {
  return reinterpret_cast<uintptr_t>(block + index * stride + guardBytes);
}

bool FiberSet::contains(uintptr_t address) const {
  uintptr_t begin = reinterpret_cast<uintptr_t>(block);
  return address >= begin && address - begin < blockBytes;
}

bool FiberSet::inGuardPage(uintptr_t address) const {
  return contains(address) && (address - reinterpret_cast<uintptr_t>(block)) % stride < guardBytes;
}

} // namespace tilecrt::sim
