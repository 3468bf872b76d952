// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle as one file, NAME.tilec, which programs load (tilec/bundle.h, tilec.load_bundle): a
// container as in tilec/Cache/Container.h with the sections
//
//   manifest     JSON: kernels, parameters, images and what they were compiled with
//   N.metadata   of image N, counted through all kernels: tilecrt::toJson
//   N.code       its cubin or PTX
//   N.object, N.symbol, N.sites
//                its host code (HostSections.h), which is for processors and builds of tilec like
//                those that made it
//   source.N.name, source.N.text, source.N.path-M, source.N.module-M
//                where sources were kept: that of kernel N, and what it imports

#ifndef TILEC_BUNDLE_BUNDLEFILE_H
#define TILEC_BUNDLE_BUNDLEFILE_H

#include "tilec/Bundle/Bundle.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace tilec {

/// The file's bytes. Deterministic.
std::string encodeBundle(const Bundle &bundle);

/// Reads what encodeBundle wrote; anything else is an error that says what is wrong. Host code of
/// another build or for another processor is left out: the image has neither bytes nor host code.
llvm::Expected<Bundle> decodeBundle(llvm::StringRef bytes);

/// The manifest, which has everything but code.
llvm::json::Value describeBundle(const Bundle &bundle);

} // namespace tilec

#endif // TILEC_BUNDLE_BUNDLEFILE_H
