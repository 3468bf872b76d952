// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that were compiled ahead of time, a part of the C interface, whose rules hold here too;
// tilec.h includes it. `tilec build SPEC -o DIR --emit bundle` makes the file.
//
//   tilec_bundle_open("ops.tilec", &bundle);
//   tilec_bundle_create_jit(bundle, "add_f32", device, &jit);
//   tilec_call call = {.struct_size = sizeof call, .flags = TILEC_LAUNCH_BUNDLED_GRID,
//                      .values = values, .num_values = 3};
//   tilec_jit_launch(jit, &call, NULL);
//
// Such a tilec_jit never compiles. A call gives values for the kernel's parameters as for any
// other; those of constants have to be the constants that the code has, or tilec_constant("..."),
// which leaves them to the bundle; at the end they may be left out. A value is converted to the
// type that the code has for it: an integer that fits, a float. Values that no code in the bundle
// takes are TILEC_INVALID_ARGUMENT, and the message says what is there.

#ifndef TILEC_BUNDLE_H
#define TILEC_BUNDLE_H

#include "tilec/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A bundle in memory. It may be destroyed before the tilec_jit handles that were made from it.
typedef struct tilec_bundle tilec_bundle;
TILEC_API void tilec_bundle_destroy(tilec_bundle *bundle);

/// Reads a file. One that cannot be read, is no bundle, is damaged or is of a newer format is
/// TILEC_INPUT_ERROR.
TILEC_API tilec_status tilec_bundle_open(const char *path, tilec_bundle **bundle);
/// Reads the bytes of such a file, which are copied.
TILEC_API tilec_status tilec_bundle_read(const void *data, size_t size, tilec_bundle **bundle);

/// What the bundle has but the code, as JSON (tilec/Bundle/BundleFile.h): its name, and for each
/// kernel name, parameters, grid and what it was compiled for. Lives as long as the handle.
TILEC_API const char *tilec_bundle_describe(const tilec_bundle *bundle);

/// A kernel on a device. `kernel` is the name of an entry ("add_f32"), or that of a kernel ("add"):
/// then a call gets the first of its entries that takes the values. Without code for the device it
/// is TILEC_UNAVAILABLE.
TILEC_API tilec_status tilec_bundle_create_jit(tilec_bundle *bundle, const char *kernel,
                                               tilec_device *device, tilec_jit **jit);

#ifdef __cplusplus
}
#endif

#endif // TILEC_BUNDLE_H
