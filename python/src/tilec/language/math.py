# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
"""Functions of floats, `tl.math`; older kernels find the functions of libdevice here, too."""

from ._host import cdiv
from ._markers import PropagateNan, outside
from ._operations import (
    abs, ceil, cos, div_rn, erf, exp, exp2, fdiv, floor, fma, log, log2, rsqrt, sigmoid, sin, softmax, sqrt, sqrt_rn,
    umulhi,
)
from .extra.libdevice import (
    acos, acosh, add_rd, add_rn, add_ru, add_rz, asin, asinh, atan, atan2, atanh, brev, byte_perm, cbrt, clz, copysign,
    cosh, cospi, cyl_bessel_i0, cyl_bessel_i1, div_rd, div_ru, div_rz, double2float_rd, double2float_rn,
    double2float_ru, double2float_rz, double2hiint, double2int_rd, double2int_rn, double2int_ru, double2int_rz,
    double2ll_rd, double2ll_rn, double2ll_ru, double2ll_rz, double2loint, double2uint_rd, double2uint_rn,
    double2uint_ru, double2uint_rz, double2ull_rd, double2ull_rn, double2ull_ru, double2ull_rz, double_as_longlong,
    erfc, erfcinv, erfcx, erfinv, exp10, expm1, fabs, fast_cosf, fast_dividef, fast_exp10f, fast_expf, fast_log10f,
    fast_log2f, fast_logf, fast_powf, fast_sinf, fast_tanf, fdim, ffs, finitef, float2int_rd, float2int_rn,
    float2int_ru, float2int_rz, float2ll_rd, float2ll_rn, float2ll_ru, float2ll_rz, float2uint_rd, float2uint_rn,
    float2uint_ru, float2uint_rz, float2ull_rd, float2ull_rn, float2ull_ru, float2ull_rz, float_as_int, float_as_uint,
    fma_rd, fma_rn, fma_ru, fma_rz, fmod, hadd, hiloint2double, hypot, ilogb, int2double_rd, int2double_rn,
    int2double_ru, int2double_rz, int2float_rd, int2float_rn, int2float_ru, int2float_rz, int_as_float, isfinited,
    isinf, isnan, j0, j1, jn, ldexp, lgamma, ll2double_rd, ll2double_rn, ll2double_ru, ll2double_rz, ll2float_rd,
    ll2float_rn, ll2float_ru, ll2float_rz, llrint, llround, log10, log1p, logb, longlong_as_double, mul24, mul_rd,
    mul_rn, mul_ru, mul_rz, mulhi, nearbyint, nextafter, norm3d, norm4d, normcdf, normcdfinv, popc, pow, rcbrt, rcp64h,
    rcp_rd, rcp_rn, rcp_ru, rcp_rz, remainder, rhadd, rhypot, rint, rnorm3d, rnorm4d, round, rsqrt_rn, sad, saturatef,
    scalbn, signbit, sinh, sinpi, sqrt_rd, sqrt_ru, sqrt_rz, sub_rd, sub_rn, sub_ru, sub_rz, tan, tanh, tgamma, trunc,
    uint2double_rd, uint2double_rn, uint2double_ru, uint2double_rz, uint2float_rd, uint2float_rn, uint2float_ru,
    uint2float_rz, uint_as_float, ull2double_rd, ull2double_rn, ull2double_ru, ull2double_rz, ull2float_rd,
    ull2float_rn, ull2float_ru, ull2float_rz, y0, y1, yn,
)


def min(x, y, propagate_nan=PropagateNan.NONE):
    """The smaller of two, element by element."""
    raise outside("tl.math.min")


def max(x, y, propagate_nan=PropagateNan.NONE):
    """The larger of two, element by element."""
    raise outside("tl.math.max")


__all__ = [
    "abs", "acos", "acosh", "add_rd", "add_rn", "add_ru", "add_rz", "asin", "asinh", "atan", "atan2", "atanh", "brev",
    "byte_perm", "cbrt", "cdiv", "ceil", "clz", "copysign", "cos", "cosh", "cospi", "cyl_bessel_i0", "cyl_bessel_i1",
    "div_rd", "div_rn", "div_ru", "div_rz", "double2float_rd", "double2float_rn", "double2float_ru", "double2float_rz",
    "double2hiint", "double2int_rd", "double2int_rn", "double2int_ru", "double2int_rz", "double2ll_rd", "double2ll_rn",
    "double2ll_ru", "double2ll_rz", "double2loint", "double2uint_rd", "double2uint_rn", "double2uint_ru",
    "double2uint_rz", "double2ull_rd", "double2ull_rn", "double2ull_ru", "double2ull_rz", "double_as_longlong", "erf",
    "erfc", "erfcinv", "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fast_cosf", "fast_dividef",
    "fast_exp10f", "fast_expf", "fast_log10f", "fast_log2f", "fast_logf", "fast_powf", "fast_sinf", "fast_tanf", "fdim",
    "fdiv", "ffs", "finitef", "float2int_rd", "float2int_rn", "float2int_ru", "float2int_rz", "float2ll_rd",
    "float2ll_rn", "float2ll_ru", "float2ll_rz", "float2uint_rd", "float2uint_rn", "float2uint_ru", "float2uint_rz",
    "float2ull_rd", "float2ull_rn", "float2ull_ru", "float2ull_rz", "float_as_int", "float_as_uint", "floor", "fma",
    "fma_rd", "fma_rn", "fma_ru", "fma_rz", "fmod", "hadd", "hiloint2double", "hypot", "ilogb", "int2double_rd",
    "int2double_rn", "int2double_ru", "int2double_rz", "int2float_rd", "int2float_rn", "int2float_ru", "int2float_rz",
    "int_as_float", "isfinited", "isinf", "isnan", "j0", "j1", "jn", "ldexp", "lgamma", "ll2double_rd", "ll2double_rn",
    "ll2double_ru", "ll2double_rz", "ll2float_rd", "ll2float_rn", "ll2float_ru", "ll2float_rz", "llrint", "llround",
    "log", "log10", "log1p", "log2", "logb", "longlong_as_double", "max", "min", "mul24", "mul_rd", "mul_rn", "mul_ru",
    "mul_rz", "mulhi", "nearbyint", "nextafter", "norm3d", "norm4d", "normcdf", "normcdfinv", "popc", "pow", "rcbrt",
    "rcp64h", "rcp_rd", "rcp_rn", "rcp_ru", "rcp_rz", "remainder", "rhadd", "rhypot", "rint", "rnorm3d", "rnorm4d",
    "round", "rsqrt", "rsqrt_rn", "sad", "saturatef", "scalbn", "sigmoid", "signbit", "sin", "sinh", "sinpi", "softmax",
    "sqrt", "sqrt_rd", "sqrt_rn", "sqrt_ru", "sqrt_rz", "sub_rd", "sub_rn", "sub_ru", "sub_rz", "tan", "tanh", "tgamma",
    "trunc", "uint2double_rd", "uint2double_rn", "uint2double_ru", "uint2double_rz", "uint2float_rd", "uint2float_rn",
    "uint2float_ru", "uint2float_rz", "uint_as_float", "ull2double_rd", "ull2double_rn", "ull2double_ru",
    "ull2double_rz", "ull2float_rd", "ull2float_rn", "ull2float_ru", "ull2float_rz", "umulhi", "y0", "y1", "yn",
]  # yapf: disable
