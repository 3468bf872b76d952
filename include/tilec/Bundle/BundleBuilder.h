// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles what a specification says into a bundle. Needs no GPU.

#ifndef TILEC_BUNDLE_BUNDLEBUILDER_H
#define TILEC_BUNDLE_BUNDLEBUILDER_H

#include "tilec/Bundle/Bundle.h"
#include "tilec/Bundle/BundleSpec.h"
#include "tilec/Driver/Compiler.h"

#include <functional>

namespace tilec {

/// A kernel that could not be compiled. Why has been reported already.
class NotCompiled final : public llvm::ErrorInfo<NotCompiled> {
public:
  static char ID;
  explicit NotCompiled(Failure why) : failure(why) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  Failure failure;
};

/// Receives what is said about a kernel's source, about its compilation for each target, and about
/// configurations that are not there.
using BundleReport = std::function<void(const SourceManager &, const DiagnosticEngine &)>;

/// Compiles all kernels for all targets, and keeps their sources when asked for it. `base` has the
/// options that are the same for all: with Stage::Cubin as the last one the bundle holds cubins
/// besides PTX. An error is NotCompiled, or a mistake in the specification.
llvm::Expected<Bundle> buildBundle(const BundleSpec &spec, const CompileOptions &base,
                                   const BundleReport &report, bool keepsSources = false);

} // namespace tilec

#endif // TILEC_BUNDLE_BUNDLEBUILDER_H
