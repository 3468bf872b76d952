// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM ends the process when its back end meets IR that it cannot select. Its handler hook may not
// return, so ours throws: LLVM's frames have unwind tables and no cleanups, so the exception passes
// through them to the guard, and what they held is leaked.

#include "DeviceModule.h"

#include "llvm/Support/ErrorHandling.h"

#include <mutex>

namespace tilec {
namespace {

struct FatalError {
  std::string reason;
};

/// Whether this thread is inside a guard.
thread_local bool isGuarded = false;

void throwFatalError(void *, const char *reason, bool) {
  if (isGuarded)
    throw FatalError{reason};
}

/// Keeps the process-wide handler installed while at least one guard lives.
class InstalledHandler {
public:
  InstalledHandler() {
    std::lock_guard<std::mutex> lock(mutex());
    if (count()++ == 0)
      llvm::install_fatal_error_handler(throwFatalError);
  }
  ~InstalledHandler() {
    std::lock_guard<std::mutex> lock(mutex());
    if (--count() == 0)
      llvm::remove_fatal_error_handler();
  }
  InstalledHandler(const InstalledHandler &) = delete;
  InstalledHandler &operator=(const InstalledHandler &) = delete;

private:
  static std::mutex &mutex() {
    static std::mutex value;
    return value;
  }
  static unsigned &count() {
    static unsigned value = 0;
    return value;
  }
};

} // namespace

llvm::Error guardFatalErrors(DeviceModule::Impl &impl, llvm::StringRef name,
                             llvm::function_ref<llvm::Error()> step) {
  InstalledHandler handler;
  bool wasGuarded = isGuarded;
  isGuarded = true;
  try {
    llvm::Error error = step();
    isGuarded = wasGuarded;
    return error;
  } catch (const FatalError &fatal) {
    isGuarded = wasGuarded;
    std::string text = name.str() + ": " + fatal.reason;
    impl.abandon();
    return llvm::createStringError(text);
  }
}

} // namespace tilec
