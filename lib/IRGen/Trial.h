// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trying something aside of what is generated: whether an attribute exists, what a condition of the
// host is, which type a value will have.

#ifndef TILEC_LIB_IRGEN_TRIAL_H
#define TILEC_LIB_IRGEN_TRIAL_H

#include "Generator.h"

namespace tilec::irgen {

/// A generator whose diagnostics, operations and assignments are dropped with it, on the budget of
/// the one around it. After its first error it stops. A value that outlives it must not hold what
/// its operations computed (see hasProgramValues), unless they are adopted.
class Trial {
public:
  /// In a copy of the activation that `around` is in.
  explicit Trial(Generator &around);
  /// In compile-time code at the module level of `module`.
  Trial(Generator &around, const SourceModule &module);

  Generator *operator->() { return &generator; }
  Generator &operator*() { return generator; }
  bool hasErrors() const { return diagnostics.hasErrors(); }
  /// The variables as they are now.
  const Variables &getVariables() const { return frame.variables; }
  /// Makes what was done here count: operations, assignments and how the activation ended. Not
  /// for trials at the module level.
  void adopt();

private:
  Generator &around;
  DiagnosticEngine diagnostics{1};
  Generator generator;
  Frame frame;
  /// How the loop around is left, as seen here.
  LoopContext loop;
  DetachedBlock operations;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_TRIAL_H
