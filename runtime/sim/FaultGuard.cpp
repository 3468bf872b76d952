// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signal handler, its installation by count of users, and the alternate stacks that let it run
// after a stack overflow.
#undef _FORTIFY_SOURCE // The jump goes from one stack to another, which the fortified longjmp
                       // refuses.

#include "runtime/sim/FaultGuard.h"
#include "runtime/sim/Cluster.h"

#include <csignal>
#include <mutex>

namespace tilecrt::sim {
namespace {

constexpr size_t signalStackBytes = 64 * 1024;

std::mutex installMutex;
unsigned users = 0;
struct sigaction previousSegv, previousBus;

void passOn(const struct sigaction &previous, int signal, siginfo_t *info, void *context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
    return;
  }
  // The default action, by returning to the faulting instruction without a handler.
  struct sigaction defaultAction = {};
  defaultAction.sa_handler = SIG_DFL;
  sigaction(signal, &defaultAction, nullptr);
}

void onSignal(int signal, siginfo_t *info, void *context) {
  FaultFrame *frame = armedFrame();
  if (frame && currentThread()) {
    frame->address = reinterpret_cast<uintptr_t>(info->si_addr);
    siglongjmp(frame->target, 1);
  }
  passOn(signal == SIGSEGV ? previousSegv : previousBus, signal, info, context);
}

} // namespace

struct PreviousStack {
  stack_t stack;
};

FaultFrame *&armedFrame() {
  static thread_local FaultFrame *frame = nullptr;
  return frame;
}

FaultGuard::FaultGuard(bool enabled) : installed(enabled) {
  if (!installed)
    return;
  signalStack.reset(new char[signalStackBytes]);
  previous = std::make_unique<PreviousStack>();
  stack_t stack = {};
  stack.ss_sp = signalStack.get();
  stack.ss_size = signalStackBytes;
  sigaltstack(&stack, &previous->stack);

  std::lock_guard<std::mutex> lock(installMutex);
  if (users++ != 0)
    return;
  // SA_NODEFER: the handler leaves by a jump that does not restore the signal mask.
  struct sigaction action = {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previousSegv);
  sigaction(SIGBUS, &action, &previousBus);
}

FaultGuard::~FaultGuard() {
  if (!installed)
    return;
  {
    std::lock_guard<std::mutex> lock(installMutex);
    if (--users == 0) {
      sigaction(SIGSEGV, &previousSegv, nullptr);
      sigaction(SIGBUS, &previousBus, nullptr);
    }
  }
  sigaltstack(&previous->stack, nullptr);
}

} // namespace tilecrt::sim
