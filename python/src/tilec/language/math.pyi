# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
"""Functions of floats, `tl.math`; older kernels find the functions of libdevice here, too."""

from . import (
    abs as abs, cdiv as cdiv, ceil as ceil, cos as cos, div_rn as div_rn, erf as erf, exp as exp, exp2 as exp2,
    fdiv as fdiv, floor as floor, fma as fma, log as log, log2 as log2, rsqrt as rsqrt, sigmoid as sigmoid, sin as sin,
    softmax as softmax, sqrt as sqrt, sqrt_rn as sqrt_rn, umulhi as umulhi,
)
from . import PropagateNan, _Nan, _Value, tensor
from .extra.libdevice import (
    acos as acos, acosh as acosh, add_rd as add_rd, add_rn as add_rn, add_ru as add_ru, add_rz as add_rz, asin as asin,
    asinh as asinh, atan as atan, atan2 as atan2, atanh as atanh, brev as brev, byte_perm as byte_perm, cbrt as cbrt,
    clz as clz, copysign as copysign, cosh as cosh, cospi as cospi, cyl_bessel_i0 as cyl_bessel_i0,
    cyl_bessel_i1 as cyl_bessel_i1, div_rd as div_rd, div_ru as div_ru, div_rz as div_rz,
    double2float_rd as double2float_rd, double2float_rn as double2float_rn, double2float_ru as double2float_ru,
    double2float_rz as double2float_rz, double2hiint as double2hiint, double2int_rd as double2int_rd,
    double2int_rn as double2int_rn, double2int_ru as double2int_ru, double2int_rz as double2int_rz,
    double2ll_rd as double2ll_rd, double2ll_rn as double2ll_rn, double2ll_ru as double2ll_ru,
    double2ll_rz as double2ll_rz, double2loint as double2loint, double2uint_rd as double2uint_rd,
    double2uint_rn as double2uint_rn, double2uint_ru as double2uint_ru, double2uint_rz as double2uint_rz,
    double2ull_rd as double2ull_rd, double2ull_rn as double2ull_rn, double2ull_ru as double2ull_ru,
    double2ull_rz as double2ull_rz, double_as_longlong as double_as_longlong, erfc as erfc, erfcinv as erfcinv,
    erfcx as erfcx, erfinv as erfinv, exp10 as exp10, expm1 as expm1, fabs as fabs, fast_cosf as fast_cosf,
    fast_dividef as fast_dividef, fast_exp10f as fast_exp10f, fast_expf as fast_expf, fast_log10f as fast_log10f,
    fast_log2f as fast_log2f, fast_logf as fast_logf, fast_powf as fast_powf, fast_sinf as fast_sinf,
    fast_tanf as fast_tanf, fdim as fdim, ffs as ffs, finitef as finitef, float2int_rd as float2int_rd,
    float2int_rn as float2int_rn, float2int_ru as float2int_ru, float2int_rz as float2int_rz,
    float2ll_rd as float2ll_rd, float2ll_rn as float2ll_rn, float2ll_ru as float2ll_ru, float2ll_rz as float2ll_rz,
    float2uint_rd as float2uint_rd, float2uint_rn as float2uint_rn, float2uint_ru as float2uint_ru,
    float2uint_rz as float2uint_rz, float2ull_rd as float2ull_rd, float2ull_rn as float2ull_rn,
    float2ull_ru as float2ull_ru, float2ull_rz as float2ull_rz, float_as_int as float_as_int,
    float_as_uint as float_as_uint, fma_rd as fma_rd, fma_rn as fma_rn, fma_ru as fma_ru, fma_rz as fma_rz,
    fmod as fmod, hadd as hadd, hiloint2double as hiloint2double, hypot as hypot, ilogb as ilogb,
    int2double_rd as int2double_rd, int2double_rn as int2double_rn, int2double_ru as int2double_ru,
    int2double_rz as int2double_rz, int2float_rd as int2float_rd, int2float_rn as int2float_rn,
    int2float_ru as int2float_ru, int2float_rz as int2float_rz, int_as_float as int_as_float, isfinited as isfinited,
    isinf as isinf, isnan as isnan, j0 as j0, j1 as j1, jn as jn, ldexp as ldexp, lgamma as lgamma,
    ll2double_rd as ll2double_rd, ll2double_rn as ll2double_rn, ll2double_ru as ll2double_ru,
    ll2double_rz as ll2double_rz, ll2float_rd as ll2float_rd, ll2float_rn as ll2float_rn, ll2float_ru as ll2float_ru,
    ll2float_rz as ll2float_rz, llrint as llrint, llround as llround, log10 as log10, log1p as log1p, logb as logb,
    longlong_as_double as longlong_as_double, mul24 as mul24, mul_rd as mul_rd, mul_rn as mul_rn, mul_ru as mul_ru,
    mul_rz as mul_rz, mulhi as mulhi, nearbyint as nearbyint, nextafter as nextafter, norm3d as norm3d,
    norm4d as norm4d, normcdf as normcdf, normcdfinv as normcdfinv, popc as popc, pow as pow, rcbrt as rcbrt,
    rcp64h as rcp64h, rcp_rd as rcp_rd, rcp_rn as rcp_rn, rcp_ru as rcp_ru, rcp_rz as rcp_rz, remainder as remainder,
    rhadd as rhadd, rhypot as rhypot, rint as rint, rnorm3d as rnorm3d, rnorm4d as rnorm4d, round as round,
    rsqrt_rn as rsqrt_rn, sad as sad, saturatef as saturatef, scalbn as scalbn, signbit as signbit, sinh as sinh,
    sinpi as sinpi, sqrt_rd as sqrt_rd, sqrt_ru as sqrt_ru, sqrt_rz as sqrt_rz, sub_rd as sub_rd, sub_rn as sub_rn,
    sub_ru as sub_ru, sub_rz as sub_rz, tan as tan, tanh as tanh, tgamma as tgamma, trunc as trunc,
    uint2double_rd as uint2double_rd, uint2double_rn as uint2double_rn, uint2double_ru as uint2double_ru,
    uint2double_rz as uint2double_rz, uint2float_rd as uint2float_rd, uint2float_rn as uint2float_rn,
    uint2float_ru as uint2float_ru, uint2float_rz as uint2float_rz, uint_as_float as uint_as_float,
    ull2double_rd as ull2double_rd, ull2double_rn as ull2double_rn, ull2double_ru as ull2double_ru,
    ull2double_rz as ull2double_rz, ull2float_rd as ull2float_rd, ull2float_rn as ull2float_rn,
    ull2float_ru as ull2float_ru, ull2float_rz as ull2float_rz, y0 as y0, y1 as y1, yn as yn,
)

def min(x: _Value, y: _Value, propagate_nan: _Nan = PropagateNan.NONE) -> tensor:
    """The smaller of two, element by element."""
    ...

def max(x: _Value, y: _Value, propagate_nan: _Nan = PropagateNan.NONE) -> tensor:
    """The larger of two, element by element."""
    ...
