// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that specialise themselves, a part of the C interface, whose rules hold here too; tilec.h
// includes it.
//
//   tilec_jit_options options = {.struct_size = sizeof options, .name = "add.py", .text = text,
//                                .length = strlen(text), .options = &compile};
//   tilec_jit_create(device, &options, &jit);
//   tilec_call_value values[] = {{TILEC_VALUE_POINTER, TILEC_TYPE_FP32, 0, {.pointer = x}},
//                                {TILEC_VALUE_INTEGER, 0, 0, {.integer = n}},
//                                {TILEC_VALUE_INTEGER, 0, 0, {.integer = 1024}}};
//   tilec_call call = {.struct_size = sizeof call, .grid = {blocks, 1, 1}, .values = values,
//                      .num_values = 3};
//   tilec_jit_launch(jit, &call, NULL);
//
// A call gives a value for each parameter of the kernel, in order, tl.constexpr ones as well. The
// first call with values of a kind compiles the kernel for it; later ones find it without a lock.
// The kind is Triton's, but for the multiples of 8:
//
// * a pointer: its element type, and whether the address is a multiple of 16;
// * an integer: 1 is a constant of the code; else i32, i64 where it needs that, or u64 above that,
//   and whether it is a multiple of 16 or, if the kernel has it in offsets, bounds or divisions, of
//   8, so that rows of 16-bit numbers are known to begin at multiples of 16 bytes;
// * a float is fp32, a bool u1, None a constant, a tensor descriptor its type, block and padding;
// * a tuple is the kinds of its elements;
// * a value for a tl.constexpr, or of kind TILEC_VALUE_CONSTANT, is itself.
//
// A type in the parameter's annotation comes before the value's own, and such an integer is never a
// constant. With a signature (tilec_jit_options) the types are the same in all calls: then a kind
// says only what is known of the values, and of a tensor descriptor its block and padding.

#ifndef TILEC_JIT_H
#define TILEC_JIT_H

#include "tilec/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A kernel and its variants, one compiled for each kind of arguments that it was called with.
typedef struct tilec_jit tilec_jit;
TILEC_API void tilec_jit_destroy(tilec_jit *jit);

/// What a pointer points to.
typedef enum tilec_type {
  TILEC_TYPE_NONE = 0,
  TILEC_TYPE_U1 = 1,
  TILEC_TYPE_I8 = 2,
  TILEC_TYPE_I16 = 3,
  TILEC_TYPE_I32 = 4,
  TILEC_TYPE_I64 = 5,
  TILEC_TYPE_U8 = 6,
  TILEC_TYPE_U16 = 7,
  TILEC_TYPE_U32 = 8,
  TILEC_TYPE_U64 = 9,
  TILEC_TYPE_FP16 = 10,
  TILEC_TYPE_BF16 = 11,
  TILEC_TYPE_FP32 = 12,
  TILEC_TYPE_FP64 = 13,
  TILEC_TYPE_FP8E4NV = 14,
  TILEC_TYPE_FP8E5 = 15,
  TILEC_TYPE_FP8E4B8 = 16,
  TILEC_TYPE_FP8E5B16 = 17,
  TILEC_TYPE_FP8E4B15 = 18
} tilec_type;

/// The number of a type's name in kernels ("fp32"); TILEC_TYPE_NONE for other texts.
TILEC_API tilec_type tilec_type_of(const char *name);
/// The name of a type's number; NULL for other numbers.
TILEC_API const char *tilec_type_name(tilec_type type);

typedef enum tilec_value_kind {
  TILEC_VALUE_NONE = 0,
  TILEC_VALUE_BOOL = 1,
  TILEC_VALUE_INTEGER = 2,
  /// An integer above INT64_MAX.
  TILEC_VALUE_UNSIGNED = 3,
  TILEC_VALUE_FLOAT = 4,
  TILEC_VALUE_POINTER = 5,
  TILEC_VALUE_DESCRIPTOR = 6,
  /// A text of tilec_constant.
  TILEC_VALUE_CONSTANT = 7,
  /// The `integer` values that follow are its elements; a tuple among them with its own elements
  /// is one.
  TILEC_VALUE_TUPLE = 8,
  /// A float of a signature in the form that the kernel gets it: the low bytes of
  /// `unsigned_integer`.
  TILEC_VALUE_BITS = 9
} tilec_value_kind;

/// A tensor for a tl.tensor_descriptor. Address and strides are multiples of 16 bytes, the last
/// stride is 1; sizes and strides are in elements.
typedef struct tilec_descriptor {
  void *data;
  uint32_t rank;
  /// 1: elements outside of the tensor read as NaN instead of zero.
  uint32_t pads_with_nan;
  int64_t shape[5];
  int64_t strides[5];
  int32_t block[5];
} tilec_descriptor;

typedef struct tilec_call_value {
  /// A tilec_value_kind.
  uint16_t kind;
  /// The tilec_type that a pointer or descriptor points to; a signature comes before it.
  uint16_t type;
  /// Of a named tuple, the tilec_constant of its fields' names: "data,n"; otherwise 0.
  uint32_t fields;
  union {
    int64_t integer;
    uint64_t unsigned_integer;
    double real;
    const void *pointer;
    const tilec_descriptor *descriptor;
    /// Of tilec_constant.
    uint64_t constant;
  } value;
} tilec_call_value;

/// The number of a constant's text, as in tilec_options.constants ("'silu'", "tl.float16", "0.5"):
/// the same for the same text, in the whole process. Never 0. NULL is an error, which gives 0.
TILEC_API uint64_t tilec_constant(const char *text);

/// The result of one compilation. The handles are good during the call.
typedef struct tilec_jit_event {
  size_t struct_size;
  /// NULL after a failure.
  const tilec_kernel *kernel;
  const tilec_diagnostics *diagnostics;
  double seconds;
  /// 1: a cache had it.
  int32_t from_cache;
} tilec_jit_event;

typedef struct tilec_jit_options {
  size_t struct_size;
  /// The source, as for tilec_compile_text.
  const char *name;
  const char *text;
  size_t length;
  /// What all compilations have: the kernel, constants that no call gives, modules, tools, a cache,
  /// limits. Arguments come from the calls; the target is the device's unless it is given. May be
  /// NULL.
  const tilec_options *options;
  /// What is known of parameters beyond their annotations in the text: "constexpr", "const" for a
  /// pointer that is not written through, or a type such as "i64" or "*fp32".
  const tilec_binding *parameters;
  size_t num_parameters;
  /// Parameters whose values make no difference for the code, as `do_not_specialize` and
  /// `do_not_specialize_on_alignment` of @triton.jit have them.
  const char *const *unspecialized;
  size_t num_unspecialized;
  const char *const *unaligned;
  size_t num_unaligned;
  /// Called after each compilation, by the thread that compiled.
  void (*compiled)(void *context, const tilec_jit_event *event);
  void *context;
  /// The types of the values of every call: "i64", "*fp32", "*kfp32" for a pointer that is not
  /// written through, "tensordesc<fp16>". They stand for the kernel's parameters in order without
  /// the tl.constexpr ones, which the options have as constants or the source as defaults; those at
  /// the end that have defaults may be left out. An integer that is 1 is a constant of the code
  /// here, too. NULL: there is no signature. Another number than the kernel takes is
  /// TILEC_INVALID_ARGUMENT.
  const char *const *signature;
  size_t num_signature;
} tilec_jit_options;

/// Reads the kernel's parameters; compiles nothing. With a NULL device there is nothing to launch
/// on, and options.target says what to compile for. A source that has an error is
/// TILEC_INPUT_ERROR, with the messages in tilec_last_error.
TILEC_API tilec_status tilec_jit_create(tilec_device *device, const tilec_jit_options *options,
                                        tilec_jit **jit);

typedef struct tilec_call {
  size_t struct_size;
  /// Values of the kernel's parameters, in order; those of parameters at the end that have defaults
  /// may be left out.
  const tilec_call_value *values;
  size_t num_values;
  /// Programs in x, y, z; each at least 1.
  uint32_t grid[3];
  /// TILEC_LAUNCH_... flags.
  uint32_t flags;
  void *stream;
  /// As in tilec_options, with 0 for what the jit's options say.
  int32_t num_warps;
  int32_t num_stages;
  int32_t max_registers;
  /// TILEC_COMPILE_... flags besides those of the jit's options.
  uint32_t compile_flags;
  /// On "sim": memory of the program's own that the kernel may touch, besides the device's.
  const tilec_buffer *buffers;
  size_t num_buffers;
  /// Programs of a cluster; zeros: what the kernel was compiled for.
  uint32_t cluster[3];
  /// As in tilec_options, with 0 for what the jit's options say. It is a hint: a launch whose grid,
  /// or whose `cluster`, such code cannot have takes the code without clusters.
  int32_t num_ctas;
  /// As in tilec_options, with 0 for what the jit's options say. Of num_ctas and split_k the call's
  /// counts where the jit's options say the other.
  int32_t split_k;
} tilec_call;

/// Queues a launch, after compiling if such values come for the first time. Threads that want the
/// same kind meanwhile wait for the one that compiles it. After a failed compilation the messages
/// are in tilec_last_error. Calls of a kind that was TILEC_INPUT_ERROR are not compiled again;
/// after other failures the next call tries again. `variant` may be NULL; else `*variant` becomes
/// the number of the code, which calls of the same kind have in common: 0 for the first kind, 1 for
/// the next one.
TILEC_API tilec_status tilec_jit_launch(tilec_jit *jit, const tilec_call *call, uint32_t *variant);
/// The number of the code for such values, compiled if need be; launches nothing.
TILEC_API tilec_status tilec_jit_find(tilec_jit *jit, const tilec_call *call, uint32_t *variant);
/// A new handle of the kernel for such values, compiled if need be; launches nothing.
TILEC_API tilec_status tilec_jit_get_kernel(tilec_jit *jit, const tilec_call *call,
                                            tilec_kernel **kernel);
/// How a call's values are compiled, as JSON: {"arguments": [["x", "*fp32:16"], ["n", "i32"]],
/// "constants": [["BLOCK", "1024"]]}. Lives until this thread's next call of this function; NULL
/// after an error.
TILEC_API const char *tilec_jit_describe(tilec_jit *jit, const tilec_call *call);
/// A new handle of the loaded function for such values, compiled if need be: for prepared launches
/// and facts about it.
TILEC_API tilec_status tilec_jit_get_function(tilec_jit *jit, const tilec_call *call,
                                              tilec_function **function);
/// Prepares a launch with such values (tilec_prepared), compiled if need be.
TILEC_API tilec_status tilec_jit_prepare(tilec_jit *jit, const tilec_call *call,
                                         tilec_prepared **prepared);
/// Changes value number `index` of a launch that tilec_jit_prepare prepared, for the launches to
/// come. A value that the code was not compiled for is TILEC_INVALID_ARGUMENT and changes nothing.
TILEC_API tilec_status tilec_prepared_set_value(tilec_prepared *prepared, size_t index,
                                                const tilec_call_value *value);
/// How many kinds of values it was compiled for.
TILEC_API size_t tilec_jit_num_variants(const tilec_jit *jit);

#ifdef __cplusplus
}
#endif

#endif // TILEC_JIT_H
