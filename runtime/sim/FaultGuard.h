// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a memory fault in a simulated thread into a jump back to its scheduler.
//
// While any launch wants it, one SIGSEGV/SIGBUS handler is installed for the process. It acts only
// on host threads that have an armed FaultFrame and run a simulated thread; all other faults go to
// the handler that was there before.
#ifndef TILEC_RUNTIME_SIM_FAULTGUARD_H
#define TILEC_RUNTIME_SIM_FAULTGUARD_H

#include <csetjmp>
#include <cstdint>
#include <memory>

namespace tilecrt::sim {

/// Where a fault jumps to. Armed by the scheduler around the fibers it runs.
struct FaultFrame {
  sigjmp_buf target;
  volatile uintptr_t address = 0; ///< Of the fault.
  FaultFrame *outer = nullptr;    ///< The frame that was armed before.
};

/// The armed frame of this host thread; null when faults are not ours.
FaultFrame *&armedFrame();

/// While alive, the handler is installed in the process and this host thread has an alternate
/// signal stack.
class FaultGuard {
public:
  explicit FaultGuard(bool enabled);
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;
  FaultGuard &operator=(const FaultGuard &) = delete;

private:
  bool installed = false;
  std::unique_ptr<char[]> signalStack;
  std::unique_ptr<struct PreviousStack> previous;
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_FAULTGUARD_H
