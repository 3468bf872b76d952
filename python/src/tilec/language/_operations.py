# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
"""The operations of the language, for programs that name or pass them."""

from ._markers import PropagateNan, outside
from ._types import float32


def program_id(axis):
    """The index of this program along an axis of the grid (0, 1 or 2), an int32."""
    raise outside("tl.program_id")


def num_programs(axis):
    """The number of programs along an axis of the grid (0, 1 or 2), an int32."""
    raise outside("tl.num_programs")


def arange(start, end):
    """The block start, start + 1, ..., end - 1 of int32; both ends are known at compile time."""
    raise outside("tl.arange")


def full(shape, value, dtype):
    """A block of a shape, filled with a number that is converted to a type."""
    raise outside("tl.full")


def zeros(shape, dtype):
    """A block of zeros of a shape and a type."""
    raise outside("tl.zeros")


def zeros_like(input):
    """A block of zeros of the shape and type of another one."""
    raise outside("tl.zeros_like")


def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """Converts the elements to a type, or takes their bits for those of it with bitcast=True."""
    raise outside("tl.cast")


def to_tensor(x):
    """A number as a value at run time."""
    raise outside("tl.to_tensor")


def item(input):
    """The element of a block that has one, as a scalar."""
    raise outside("tl.item")


def add(x, y, sanitize_overflow=True):
    """The sum of two."""
    raise outside("tl.add")


def sub(x, y, sanitize_overflow=True):
    """The difference of two."""
    raise outside("tl.sub")


def mul(x, y, sanitize_overflow=True):
    """The product of two."""
    raise outside("tl.mul")


def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """The smaller of two, element by element; of a number and NaN the number unless propagate_nan says otherwise."""
    raise outside("tl.minimum")


def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """The larger of two, element by element; of a number and NaN the number unless propagate_nan says otherwise."""
    raise outside("tl.maximum")


def clamp(x, min, max, propagate_nan=PropagateNan.NONE):
    """Values limited to the range from min to max."""
    raise outside("tl.clamp")


def where(condition, x, y):
    """Elements of x where the condition is true, of y elsewhere; both are evaluated."""
    raise outside("tl.where")


def abs(x):
    """Magnitudes."""
    raise outside("tl.abs")


def fdiv(x, y, ieee_rounding=False, approx=False):
    """The quotient of floats to 2 units in the last place, or rounded to nearest with ieee_rounding."""
    raise outside("tl.fdiv")


def div_rn(x, y):
    """The quotient of floats, rounded to nearest."""
    raise outside("tl.div_rn")


def fma(x, y, z):
    """x * y + z, rounded once."""
    raise outside("tl.fma")


def umulhi(x, y):
    """The high half of the product of two unsigned integers."""
    raise outside("tl.umulhi")


def logical_and(x, y):
    """Whether both are true, element by element; both are evaluated."""
    raise outside("tl.logical_and")


def logical_or(x, y):
    """Whether one of two is true, element by element; both are evaluated."""
    raise outside("tl.logical_or")


def logical_not(x):
    """Whether it is false, element by element."""
    raise outside("tl.logical_not")


def expect_zero(x, mask):
    """x where the mask is true; where it is not, x is promised to be zero."""
    raise outside("tl.expect_zero")


def exp(x):
    """e to the power of x."""
    raise outside("tl.exp")


def exp2(x):
    """2 to the power of x."""
    raise outside("tl.exp2")


def log(x):
    """The natural logarithm."""
    raise outside("tl.log")


def log2(x):
    """The logarithm to the base 2."""
    raise outside("tl.log2")


def sin(x):
    """The sine of radians."""
    raise outside("tl.sin")


def cos(x):
    """The cosine of radians."""
    raise outside("tl.cos")


def sqrt(x):
    """The square root, in fp32 to 2 units in the last place."""
    raise outside("tl.sqrt")


def sqrt_rn(x):
    """The square root, rounded to nearest."""
    raise outside("tl.sqrt_rn")


def rsqrt(x):
    """The reciprocal of the square root."""
    raise outside("tl.rsqrt")


def erf(x):
    """The error function."""
    raise outside("tl.erf")


def floor(x):
    """The greatest integer that is not above x."""
    raise outside("tl.floor")


def ceil(x):
    """The least integer that is not below x."""
    raise outside("tl.ceil")


def tanh(x):
    """The hyperbolic tangent."""
    raise outside("tl.tanh")


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    raise outside("tl.sigmoid")


def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """exp(x) over the sum of exp(x) along a dimension, without overflow."""
    raise outside("tl.softmax")


def expand_dims(input, axis):
    """A block with new axes of size 1."""
    raise outside("tl.expand_dims")


def unsqueeze(x, dim):
    """A block with a new axis of size 1."""
    raise outside("tl.unsqueeze")


def squeeze(x, dim):
    """A block without an axis of size 1."""
    raise outside("tl.squeeze")


def broadcast(input, other):
    """Two blocks, brought to one shape."""
    raise outside("tl.broadcast")


def broadcast_to(input, *shape):
    """A block, repeated along axes of size 1 to fill a shape."""
    raise outside("tl.broadcast_to")


def reshape(input, *shape, can_reorder=False):
    """The elements in their order in another shape."""
    raise outside("tl.reshape")


def view(input, *shape):
    """The elements in any order in another shape."""
    raise outside("tl.view")


def ravel(x, can_reorder=False):
    """The elements as a block of one dimension."""
    raise outside("tl.ravel")


def permute(input, *dims):
    """A block with its dimensions in another order."""
    raise outside("tl.permute")


def trans(input, *dims):
    """A block with its last two dimensions swapped, or with all of them in a given order."""
    raise outside("tl.trans")


def join(a, b):
    """Two blocks along a new last dimension of size 2."""
    raise outside("tl.join")


def split(a):
    """The two halves of a last dimension of size 2."""
    raise outside("tl.split")


def interleave(a, b):
    """The elements of two blocks in turn along the last dimension."""
    raise outside("tl.interleave")


def cat(input, other, can_reorder=False, dim=0):
    """One block behind another one."""
    raise outside("tl.cat")


def swizzle2d(i, j, size_i, size_j, size_g):
    """Row and column when the rows of a grid are visited in groups, which keeps data in the cache."""
    raise outside("tl.swizzle2d")


def load(pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="", eviction_policy="",
         volatile=False):
    """Reads through a pointer, a block of pointers or a block pointer; where the mask is false nothing is read and
    the result is other, or zero."""
    raise outside("tl.load")


def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Writes through a pointer, a block of pointers or a block pointer where the mask is true; the value is
    converted to the type of the memory."""
    raise outside("tl.store")


def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    """A block of a tensor in memory, for load and store with boundary_check; advance moves it."""
    raise outside("tl.make_block_ptr")


def advance(base, offsets):
    """A block pointer, moved by an offset for each dimension."""
    raise outside("tl.advance")


def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """A descriptor of a tensor in memory: its loads and stores take offsets, and what is outside reads as zero."""
    raise outside("tl.make_tensor_descriptor")


def load_tensor_descriptor(desc, offsets):
    """The block of a tensor descriptor at offsets."""
    raise outside("tl.load_tensor_descriptor")


def store_tensor_descriptor(desc, offsets, value):
    """Writes the block of a tensor descriptor at offsets."""
    raise outside("tl.store_tensor_descriptor")


def _experimental_make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """An older name of make_tensor_descriptor."""
    raise outside("tl._experimental_make_tensor_descriptor")


def _experimental_descriptor_load(desc, offsets, shape=None, dtype=None):
    """An older name of load_tensor_descriptor."""
    raise outside("tl._experimental_descriptor_load")


def _experimental_descriptor_store(desc, value, offsets):
    """An older name of store_tensor_descriptor."""
    raise outside("tl._experimental_descriptor_store")


def atomic_add(pointer, val, mask=None, sem=None, scope=None):
    """Adds to memory in one step and gives what was there."""
    raise outside("tl.atomic_add")


def atomic_max(pointer, val, mask=None, sem=None, scope=None):
    """Puts the larger of memory and value into memory in one step and gives what was there."""
    raise outside("tl.atomic_max")


def atomic_min(pointer, val, mask=None, sem=None, scope=None):
    """Puts the smaller of memory and value into memory in one step and gives what was there."""
    raise outside("tl.atomic_min")


def atomic_and(pointer, val, mask=None, sem=None, scope=None):
    """The bitwise and of memory and value in one step; gives what was there."""
    raise outside("tl.atomic_and")


def atomic_or(pointer, val, mask=None, sem=None, scope=None):
    """The bitwise or of memory and value in one step; gives what was there."""
    raise outside("tl.atomic_or")


def atomic_xor(pointer, val, mask=None, sem=None, scope=None):
    """The bitwise exclusive or of memory and value in one step; gives what was there."""
    raise outside("tl.atomic_xor")


def atomic_xchg(pointer, val, mask=None, sem=None, scope=None):
    """Puts a value into memory and gives what was there, in one step."""
    raise outside("tl.atomic_xchg")


def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Puts val into memory where it holds cmp, and gives what was there, in one step."""
    raise outside("tl.atomic_cas")


def atomic_load(pointer, mask=None, sem=None, scope=None):
    """Loads in one access, which acquires."""
    raise outside("tl.atomic_load")


def atomic_store(pointer, val, mask=None, sem=None, scope=None):
    """Stores in one access, which releases."""
    raise outside("tl.atomic_store")


def atomic_poll(pointer, expected, sem="acquire", scope="gpu", timeout_ns=None):
    """Waits until memory holds a value, or for a time, and gives whether it does."""
    raise outside("tl.atomic_poll")


def dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=float32):
    """The matrix product of two blocks, added to acc; fp32 is multiplied in tf32 unless input_precision is "ieee"."""
    raise outside("tl.dot")


def dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True,
               rhs_k_pack=True, out_dtype=float32):
    """The matrix product of two blocks of small floats whose groups along K have scales."""
    raise outside("tl.dot_scaled")


def reduce(input, axis, combine_fn, keep_dims=False):
    """Combines the elements along an axis with a function of yours, which is associative; those of several blocks
    together."""
    raise outside("tl.reduce")


def associative_scan(input, axis, combine_fn, reverse=False):
    """Combines the elements up to each place along an axis with a function of yours, which is associative."""
    raise outside("tl.associative_scan")


def sum(input, axis=None, keep_dims=False, dtype=None):
    """The sum along an axis, or of all elements; integers of less than 32 bits are summed in 32."""
    raise outside("tl.sum")


def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The largest along an axis, or of all elements; with return_indices its index, too."""
    raise outside("tl.max")


def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The smallest along an axis, or of all elements; with return_indices its index, too."""
    raise outside("tl.min")


def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the largest along an axis, the first of equal ones."""
    raise outside("tl.argmax")


def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the smallest along an axis, the first of equal ones."""
    raise outside("tl.argmin")


def xor_sum(input, axis=None, keep_dims=False):
    """The bitwise exclusive or of the elements along an axis, or of all."""
    raise outside("tl.xor_sum")


def reduce_or(input, axis, keep_dims=False):
    """The bitwise or of the elements along an axis, or of all."""
    raise outside("tl.reduce_or")


def cumsum(input, axis=0, reverse=False, dtype=None):
    """The sums up to each place along an axis."""
    raise outside("tl.cumsum")


def cumprod(input, axis=0, reverse=False, dtype=None):
    """The products up to each place along an axis."""
    raise outside("tl.cumprod")


def sort(x, dim=None, descending=False):
    """The elements in order along a dimension, the last one without dim."""
    raise outside("tl.sort")


def topk(x, k, dim=None, descending=True):
    """The k largest along a dimension, the largest first, or the k smallest, the smallest first."""
    raise outside("tl.topk")


def bitonic_merge(x, dim=None, descending=False):
    """Puts in order what rises and then falls along a dimension."""
    raise outside("tl.bitonic_merge")


def flip(x, dim=None):
    """The elements the other way round along a dimension."""
    raise outside("tl.flip")


def gather(src, index, axis):
    """Elements of a block by indices along an axis."""
    raise outside("tl.gather")


def histogram(input, num_bins, mask=None):
    """How often each of the numbers 0 to num_bins - 1 occurs."""
    raise outside("tl.histogram")


def philox(seed, c0, c1, c2, c3, n_rounds=10):
    """Four words of random bits from a seed and four counters."""
    raise outside("tl.philox")


def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10):
    """Rounds of Philox on four counters and two keys."""
    raise outside("tl.philox_impl")


def randint(seed, offset, n_rounds=10):
    """Random uint32 from a seed and a block of offsets."""
    raise outside("tl.randint")


def randint4x(seed, offset, n_rounds=10):
    """Four blocks of random uint32 at the price of one."""
    raise outside("tl.randint4x")


def rand(seed, offset, n_rounds=10):
    """Random fp32 in [0, 1) from a seed and a block of offsets."""
    raise outside("tl.rand")


def rand4x(seed, offset, n_rounds=10):
    """Four blocks of random fp32 in [0, 1) at the price of one."""
    raise outside("tl.rand4x")


def randn(seed, offset, n_rounds=10):
    """Random fp32 of the normal distribution from a seed and a block of offsets."""
    raise outside("tl.randn")


def randn4x(seed, offset, n_rounds=10):
    """Four blocks of random fp32 of the normal distribution at the price of one."""
    raise outside("tl.randn4x")


def uint_to_uniform_float(x):
    """Random bits as fp32 in [0, 1)."""
    raise outside("tl.uint_to_uniform_float")


def pair_uniform_to_normal(u1, u2):
    """Two uniform random numbers as two of the normal distribution."""
    raise outside("tl.pair_uniform_to_normal")


def range(arg1, arg2=None, step=None, *, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False,
          flatten=False, warp_specialize=False, disable_licm=False):
    """The numbers of a loop, with options such as num_stages for the loads ahead."""
    raise outside("tl.range")


def static_range(arg1, arg2=None, step=None):
    """The numbers of a loop that is unrolled at compile time."""
    raise outside("tl.static_range")


def condition(arg1, *, disable_licm=False):
    """The condition of a while loop, with options."""
    raise outside("tl.condition")


def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack):
    """PTX for every pack of elements; $0 is the first result, and a tuple of types makes several."""
    raise outside("tl.inline_asm_elementwise")


def map_elementwise(scalar_fn, *args, pack=1):
    """A function of scalars, with control flow, for every element or pack of them."""
    raise outside("tl.map_elementwise")


def extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure=False):
    """A function of libdevice by its symbol, chosen by the types of the arguments."""
    raise outside("tl.extern_elementwise")


def aggregate_replace(obj, **changes):
    """An object of an aggregate with other values of some fields."""
    raise outside("tl.aggregate_replace")


def multiple_of(input, values):
    """Promises that values are multiples of a number."""
    raise outside("tl.multiple_of")


def max_contiguous(input, values):
    """Promises that so many values follow one another by one."""
    raise outside("tl.max_contiguous")


def max_constancy(input, values):
    """Promises that so many values are the same."""
    raise outside("tl.max_constancy")


def assume(cond):
    """Promises that a scalar condition holds."""
    raise outside("tl.assume")


def static_assert(cond, msg=""):
    """An error while compiling when a condition that is known then is false."""
    raise outside("tl.static_assert")


def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Prints values while compiling."""
    raise outside("tl.static_print")


def device_print(prefix="", *args, hex=False):
    """Prints values with the program's coordinates at run time."""
    raise outside("tl.device_print")


def device_assert(cond, msg="", mask=None):
    """Stops the kernel where a condition is false, if it was compiled with debug."""
    raise outside("tl.device_assert")


def debug_barrier():
    """All threads of the program meet."""
    raise outside("tl.debug_barrier")


def _log2(i):
    """The exponent of a power of two that is known at compile time."""
    raise outside("tl._log2")


__all__ = [
    "_experimental_descriptor_load", "_experimental_descriptor_store", "_experimental_make_tensor_descriptor", "_log2",
    "abs", "add", "advance", "aggregate_replace", "arange", "argmax", "argmin", "associative_scan", "assume",
    "atomic_add", "atomic_and", "atomic_cas", "atomic_load", "atomic_max", "atomic_min", "atomic_or", "atomic_poll",
    "atomic_store", "atomic_xchg", "atomic_xor", "bitonic_merge", "broadcast", "broadcast_to", "cast", "cat", "ceil",
    "clamp", "condition", "cos", "cumprod", "cumsum", "debug_barrier", "device_assert", "device_print", "div_rn", "dot",
    "dot_scaled", "erf", "exp", "exp2", "expand_dims", "expect_zero", "extern_elementwise", "fdiv", "flip", "floor",
    "fma", "full", "gather", "histogram", "inline_asm_elementwise", "interleave", "item", "join", "load",
    "load_tensor_descriptor", "log", "log2", "logical_and", "logical_not", "logical_or", "make_block_ptr",
    "make_tensor_descriptor", "map_elementwise", "max", "max_constancy", "max_contiguous", "maximum", "min", "minimum",
    "mul", "multiple_of", "num_programs", "pair_uniform_to_normal", "permute", "philox", "philox_impl", "program_id",
    "rand", "rand4x", "randint", "randint4x", "randn", "randn4x", "range", "ravel", "reduce", "reduce_or", "reshape",
    "rsqrt", "sigmoid", "sin", "softmax", "sort", "split", "sqrt", "sqrt_rn", "squeeze", "static_assert",
    "static_print", "static_range", "store", "store_tensor_descriptor", "sub", "sum", "swizzle2d", "tanh", "to_tensor",
    "topk", "trans", "uint_to_uniform_float", "umulhi", "unsqueeze", "view", "where", "xor_sum", "zeros", "zeros_like",
]  # yapf: disable
