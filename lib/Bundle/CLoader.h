// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every generated source has, with "@NAME@" in the place of the bundle's name.

#ifndef TILEC_LIB_BUNDLE_CLOADER_H
#define TILEC_LIB_BUNDLE_CLOADER_H

namespace tilec {

/// The loader, what grids are computed with, and tensor maps.
extern const char *const bundleLoaderText;
extern const char *const bundleMathText;
extern const char *const bundleMapsText;

} // namespace tilec

#endif // TILEC_LIB_BUNDLE_CLOADER_H
