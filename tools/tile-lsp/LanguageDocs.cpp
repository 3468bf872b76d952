// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LanguageDocs.h. docs/language.md is the reference; this is what fits beside a cursor.

#include "LanguageDocs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using Place = LanguageName::Place;

static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kTexts[] = {
    {"program_id", "The index of this program along a grid axis (0, 1 or 2), an int32."},
    {"num_programs", "The number of programs along a grid axis (0, 1 or 2), an int32."},
    {"arange",
     "The block [start, start + 1, ..., end - 1] of int32. Both ends are known at compile "
     "time."},
    {"zeros", "A block of zeros of a shape and a type."},
    {"zeros_like", "A block of zeros of the shape and type of another one."},
    {"full", "A block of a shape, filled with a scalar converted to a type."},
    {"to_tensor", "A number as a runtime value."},
    {"cast", "Converts the elements to a type, or their bits with bitcast=True."},
    {"to", "Converts the elements to a type, or their bits with bitcast=True."},
    {"load", "Reads through a pointer, a block of pointers or a block pointer. Where mask is false "
             "nothing is read and the result is other, or zero."},
    {"store", "Writes through a pointer, a block of pointers or a block pointer, where mask is "
              "true. The value is converted to the type of the memory."},
    {"make_block_ptr", "A block of a tensor in memory, for load and store with boundary_check, "
                       "moved with advance."},
    {"advance", "A block pointer moved by offsets, one for each dimension."},
    {"make_tensor_descriptor", "A descriptor of a tensor in memory: blocks of block_shape are "
                               "loaded and stored at offsets; what is outside reads as zero."},
    {"load_tensor_descriptor", "The block at the offsets of a tensor descriptor."},
    {"store_tensor_descriptor", "Writes a block at the offsets of a tensor descriptor."},
    {"dot",
     "The matrix product of two blocks, added to acc. fp16, bf16 and fp8 are summed in fp32; "
     "fp32 is computed in tf32 unless input_precision says 'ieee'."},
    {"dot_scaled", "The matrix product of two blocks of small floats with scales of groups of "
                   "elements."},
    {"where", "Elements of x where the condition is true, of y elsewhere. Both are evaluated."},
    {"minimum", "The smaller of two, element by element."},
    {"maximum", "The larger of two, element by element."},
    {"clamp", "Values limited to the range from min to max."},
    {"abs", "Absolute values."},
    {"fma", "x * y + z with one rounding."},
    {"umulhi", "The high half of the product of two unsigned integers."},
    {"cdiv", "Division rounded up."},
    {"exp", "e to the power of x."},
    {"exp2", "2 to the power of x."},
    {"log", "The natural logarithm."},
    {"log2", "The logarithm to the base 2."},
    {"sin", "The sine of radians."},
    {"cos", "The cosine of radians."},
    {"sqrt", "The square root, approximate in the last bits."},
    {"sqrt_rn", "The square root, correctly rounded."},
    {"rsqrt", "The reciprocal of the square root."},
    {"div_rn", "Division of fp32, correctly rounded."},
    {"fdiv", "Division of floats."},
    {"erf", "The error function."},
    {"tanh", "The hyperbolic tangent."},
    {"floor", "The greatest integer that is not above."},
    {"ceil", "The least integer that is not below."},
    {"sigmoid", "1 / (1 + exp(-x))."},
    {"softmax", "exp(x) over the sum of exp(x) along an axis, computed without overflow."},
    {"sum", "The sum along an axis, or of all elements."},
    {"max", "The largest along an axis, or of all; also with its index."},
    {"min", "The smallest along an axis, or of all; also with its index."},
    {"argmax", "The index of the largest along an axis."},
    {"argmin", "The index of the smallest along an axis."},
    {"xor_sum", "The exclusive or of all elements along an axis."},
    {"reduce", "Combines the elements along an axis by an associative function of yours; tuples "
               "are combined together."},
    {"associative_scan", "The running combination along an axis by an associative function of "
                         "yours."},
    {"cumsum", "The running sum along an axis."},
    {"cumprod", "The running product along an axis."},
    {"sort", "The elements sorted along the last dimension."},
    {"gather", "Elements of a block by indices along an axis."},
    {"histogram", "How often each of the numbers 0 ... num_bins - 1 occurs."},
    {"reshape", "The elements in the same order in another shape."},
    {"view", "The elements in another shape, in any order."},
    {"permute", "A block with its dimensions in another order."},
    {"trans", "A block transposed: its last two dimensions swapped, or all in a given order."},
    {"expand_dims", "A block with a new dimension of size 1."},
    {"broadcast_to", "A block repeated along dimensions of size 1 to fill a shape."},
    {"broadcast", "Two blocks brought to one shape."},
    {"ravel", "A block as one row."},
    {"join", "Two blocks along a new last dimension."},
    {"split", "The two halves of a last dimension of size 2."},
    {"interleave", "The elements of two blocks in turn along the last dimension."},
    {"cat", "Two blocks one after the other, in any order."},
    {"flip", "The elements in reverse along a dimension."},
    {"swizzle2d",
     "The index of a tile when a grid is walked in groups of rows, which keeps data in "
     "the cache."},
    {"atomic_add", "Adds to memory in one step; the result is what was there before."},
    {"atomic_max", "The larger of memory and value, in one step."},
    {"atomic_min", "The smaller of memory and value, in one step."},
    {"atomic_and", "Bitwise and of memory and value, in one step."},
    {"atomic_or", "Bitwise or of memory and value, in one step."},
    {"atomic_xor", "Bitwise exclusive or of memory and value, in one step."},
    {"atomic_xchg", "Puts a value into memory and returns what was there, in one step."},
    {"atomic_cas", "Puts val into memory where it holds cmp, and returns what was there."},
    {"atomic_load", "Reads memory in one access that may order what comes after it."},
    {"atomic_store", "Writes memory in one access that may order what came before it."},
    {"atomic_poll", "Waits until memory holds a value; with a time limit tells whether it does."},
    {"philox", "Four random 32-bit numbers from a seed and four counters."},
    {"rand", "Random fp32 from 0 to 1 from a seed and a block of offsets."},
    {"randn", "Random fp32 of the normal distribution from a seed and a block of offsets."},
    {"randint", "Random int32 from a seed and a block of offsets."},
    {"rand4x", "Four blocks of random fp32 from 0 to 1 at the price of one."},
    {"multiple_of", "Promises that values are multiples of a number."},
    {"max_contiguous", "Promises that so many values follow each other by one."},
    {"max_constancy", "Promises that so many values are the same."},
    {"assume", "Promises that a condition holds."},
    {"static_assert", "An error when a compile-time condition is false."},
    {"static_print", "Prints compile-time values while compiling."},
    {"device_print", "Prints values with the coordinates of the program at run time."},
    {"device_assert", "Stops the kernel where a condition is false; kept with --debug."},
    {"debug_barrier", "A barrier for all threads of the program."},
    {"range", "The numbers of a loop, with options such as num_stages."},
    {"static_range", "The numbers of a loop that is unrolled at compile time."},
    {"pointer_type", "The type of a pointer to elements of a type."},
    {"next_power_of_2", "The least power of two that is not below n."},
    {"constexpr", "A value that is known at compile time."},
    {"add", "The sum of two."},
    {"sub", "The difference of two."},
    {"mul", "The product of two."},
    {"logical_and", "Whether both are true, element by element; not short-circuit."},
    {"logical_or", "Whether one is true, element by element; not short-circuit."},
    {"logical_not", "Whether it is false, element by element."},
    {"expect_zero", "x where mask is true; where it is false x is promised to be zero."},
    {"item", "The element of a block of one element, as a scalar."},
    {"reduce_or", "The bitwise or of all elements along an axis."},
    {"topk", "The k largest along the last dimension, in descending order."},
    {"bitonic_merge", "Sorts along the last dimension what rises and then falls."},
    {"squeeze", "A block without a dimension of size 1."},
    {"unsqueeze", "A block with a new dimension of size 1."},
    {"scatter", "Writes rows of a block at row indices of a tensor descriptor."},
    {"randint4x", "Four blocks of random int32 at the price of one."},
    {"randn4x", "Four blocks of random fp32 of the normal distribution at the price of one."},
    {"philox_impl", "Rounds of Philox on four counters and two keys."},
    {"uint_to_uniform_float", "Random bits as fp32 from 0 to 1, without 1."},
    {"pair_uniform_to_normal", "Two uniform random numbers as two of the normal distribution."},
    {"inline_asm_elementwise",
     "PTX for each element or pack of elements. The simulator runs the instructions that the "
     "reference lists."},
    {"map_elementwise", "A function of scalars applied to each element, or to packs of them."},
    {"condition", "The condition of a while loop, with options."},
    {"get_int_dtype", "The integer type of a width and signedness."},
    {"dtype", "The type of elements of a name, such as 'fp16'."},
    {"tensor", "The type of values at run time, for annotations and isinstance."},
    {"gdc_wait", "Waits for the grid that this one depends on, and for what it wrote."},
    {"gdc_launch_dependents", "Lets the grids that depend on this one start."},
    {"globaltimer", "The time of the GPU in nanoseconds."},
    {"smid", "The number of the multiprocessor that runs the program."},
    {"num_threads", "The number of threads of a program."},
    {"num_warps", "The number of warps of a program."},
    {"int1", "Booleans; a byte in memory."},
    {"int8", "Signed integers of 8 bits."},
    {"int16", "Signed integers of 16 bits."},
    {"int32", "Signed integers of 32 bits."},
    {"int64", "Signed integers of 64 bits."},
    {"uint8", "Unsigned integers of 8 bits."},
    {"uint16", "Unsigned integers of 16 bits."},
    {"uint32", "Unsigned integers of 32 bits."},
    {"uint64", "Unsigned integers of 64 bits."},
    {"float16", "IEEE floats of 16 bits: 5 of exponent, 10 of fraction."},
    {"bfloat16", "Floats of 16 bits: 8 of exponent, 7 of fraction."},
    {"float32", "IEEE floats of 32 bits."},
    {"float64", "IEEE floats of 64 bits."},
    {"float8e4nv", "Floats of 8 bits: 4 of exponent, 3 of fraction, no infinities (e4m3fn)."},
    {"float8e5", "Floats of 8 bits: 5 of exponent, 2 of fraction (e5m2)."},
    {"float8e4b8", "Floats of 8 bits: e4m3 with bias 8 and no negative zero (e4m3fnuz)."},
    {"float8e5b16", "Floats of 8 bits: e5m2 with bias 16 and no negative zero (e5m2fnuz)."},
    {"float8e4b15", "Floats of 8 bits: e4m3 with bias 15."},
    {"void", "No value."},
    {"jit", "Marks a kernel, or a function that kernels call."},
    {"autotune", "Configurations of a kernel, of which the fastest is chosen for each key."},
    {"heuristics", "Compile-time arguments that are computed from others."},
    {"constexpr_function", "Marks a function that runs at compile time."},
    {"Config", "One configuration of autotune: compile-time arguments, num_warps, num_stages."},
    {"len", "The length of a tuple or of the first dimension, at compile time."},
    {"int", "A compile-time number as an integer."},
    {"float", "A compile-time number as a float."},
    {"bool", "Whether a compile-time value is true."},
    {"str", "A compile-time value as text."},
    {"print", "Prints values: those known at compile time while compiling, others at run time."},
    {"isinstance", "Whether a value is of a class, at compile time."},
    {"hasattr", "Whether a module or value has a member, at compile time."},
    {"getattr", "A member by its name."},
    {"tuple", "The elements of something that is known at compile time."},
    {"list", "The elements of something that is known at compile time."},
    {"zip", "Tuples of the elements of several tuples."},
    {"enumerate", "Tuples of a number and an element."},
    {"reversed", "The elements of a tuple or range in reverse."},
    {"sorted", "The elements in order, by a key if there is one."},
    {"map", "What a function gives for each element."},
    {"round", "The nearest integer, or the nearest number of so many digits."},
    {"pow", "A power, at compile time also modulo a number."},
    {"divmod", "A quotient, rounded down, and the rest."},
    {"bin", "An integer as text of base 2."},
    {"oct", "An integer as text of base 8."},
    {"hex", "An integer as text of base 16."},
    {"filter", "The elements for which a function is true."},
    {"any", "Whether an element is true, at compile time."},
    {"all", "Whether all elements are true, at compile time."},
};

llvm::StringRef lsp::findDocumentation(const LanguageName &name) {
  static const llvm::StringMap<llvm::StringRef> texts = [] {
    llvm::StringMap<llvm::StringRef> map;
    for (const auto &[key, text] : kTexts)
      map[key] = text;
    return map;
  }();
  if (name.place == Place::Libdevice)
    return "A function of libdevice, element by element.";
  auto found = texts.find(name.name);
  return found == texts.end() ? llvm::StringRef() : found->second;
}

std::vector<LanguageName> lsp::listMembers(llvm::StringRef modulePath) {
  static const std::vector<LanguageName> all = [] {
    std::vector<LanguageName> names = listLanguageNames();
    // What stands outside of kernels.
    for (const char *signature :
         {"jit(fn)", "autotune(configs, key)", "heuristics(values)", "constexpr_function(fn)"})
      names.push_back(
          {Place::Triton, llvm::StringRef(signature).split('(').first.str(), signature});
    return names;
  }();
  std::vector<Place> places;
  if (modulePath == "triton")
    places = {Place::Triton};
  else if (modulePath == "triton.language" || modulePath == "triton.language.core")
    places = {Place::Language, Place::Type};
  else if (modulePath == "triton.language.math")
    places = {Place::Math};
  else if (modulePath.ends_with("libdevice"))
    places = {Place::Libdevice};
  else if (modulePath == "triton.language.extra" || modulePath == "triton.language.extra.cuda")
    places = {Place::Extra};
  else if (modulePath == "method")
    places = {Place::Method};
  else if (modulePath == "python")
    places = {Place::Python};
  std::vector<LanguageName> members;
  for (const LanguageName &name : all)
    if (llvm::is_contained(places, name.place))
      members.push_back(name);
  return members;
}

std::optional<LanguageName> lsp::findMember(llvm::StringRef modulePath, llvm::StringRef name) {
  for (LanguageName &member : listMembers(modulePath))
    if (member.name == name)
      return member;
  return std::nullopt;
}

std::string lsp::describe(const LanguageName &name) {
  const char *prefix = "";
  switch (name.place) {
  case Place::Language:
  case Place::Type:
    prefix = "tl.";
    break;
  case Place::Math:
    prefix = "tl.math.";
    break;
  case Place::Libdevice:
    prefix = "libdevice.";
    break;
  case Place::Extra:
    prefix = "tl.extra.cuda.";
    break;
  case Place::Triton:
    prefix = "triton.";
    break;
  case Place::Python:
  case Place::Method:
    break;
  }
  std::string text =
      "```python\n" + (prefix + (name.signature.empty() ? name.name : name.signature)) + "\n```";
  llvm::StringRef documentation = findDocumentation(name);
  return documentation.empty() ? text : text + "\n" + documentation.str();
}
