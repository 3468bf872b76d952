// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of libtilec: compile a tile kernel from text or a file, read every stage and
// every diagnostic, run the kernel on the simulator or on a GPU. C11 and C++; tilec.hpp is a C++17
// wrapper around it. Each part has a header of its own; this one has all of them.
//
//   tilec_compiler *compiler = NULL;
//   tilec_kernel *kernel = NULL;
//   tilec_compiler_create(&compiler);
//   tilec_options options = {.struct_size = sizeof options, .target = "sim"};
//   if (tilec_compile_file(compiler, "add.tile", &options, &kernel, NULL) != TILEC_OK)
//     fprintf(stderr, "%s\n", tilec_last_error());
//   tilec_kernel_destroy(kernel);
//   tilec_compiler_destroy(compiler);
//
// Rules that hold for every function:
//
// * A function that can fail returns a tilec_status, or NULL or 0; tilec_last_error then says why.
//   Nothing throws, prints or ends the process, and only tilec_save_folder reads the environment.
// * Handles are numbers, not addresses, and are never used twice in a process. A null, destroyed or
//   foreign handle, or one of another type, is TILEC_INVALID_ARGUMENT; destroying NULL or a
//   destroyed handle does nothing.
// * Every function may be called from any thread at any time; a thread that compiles needs 1 MiB of
//   stack. One compiler may compile for several threads at the same time.
// * Texts are UTF-8 and end in a NUL. What a function returns, or writes into a struct, belongs to
//   the handle it came from and lives until that handle is destroyed.
// * Structs that begin with `struct_size` may grow at their end. Set all members to zero and
//   `struct_size` to sizeof: a zero asks for the default. A program and a library of different age
//   then understand each other.

#ifndef TILEC_TILEC_H
#define TILEC_TILEC_H

#include "tilec/bundle.h"
#include "tilec/compile.h"
#include "tilec/device.h"
#include "tilec/explain.h"
#include "tilec/jit.h"
#include "tilec/simulate.h"
#include "tilec/status.h"
#include "tilec/timeline.h"
#include "tilec/tuning.h"

#endif // TILEC_TILEC_H
