# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
"""The functions of libdevice, `tl.extra.libdevice`, element by element."""

from .. import _Value, tensor

def abs(x: _Value) -> tensor:
    """The magnitude."""
    ...

def acos(x: _Value) -> tensor:
    """The angle of a cosine."""
    ...

def acosh(x: _Value) -> tensor:
    """The inverse of the hyperbolic cosine."""
    ...

def add_rd(x: _Value, y: _Value) -> tensor:
    """The sum, rounded down."""
    ...

def add_rn(x: _Value, y: _Value) -> tensor:
    """The sum, rounded to nearest."""
    ...

def add_ru(x: _Value, y: _Value) -> tensor:
    """The sum, rounded up."""
    ...

def add_rz(x: _Value, y: _Value) -> tensor:
    """The sum, rounded towards zero."""
    ...

def asin(x: _Value) -> tensor:
    """The angle of a sine."""
    ...

def asinh(x: _Value) -> tensor:
    """The inverse of the hyperbolic sine."""
    ...

def atan(x: _Value) -> tensor:
    """The angle of a tangent."""
    ...

def atan2(x: _Value, y: _Value) -> tensor:
    """The angle of the point with the ordinate x and the abscissa y."""
    ...

def atanh(x: _Value) -> tensor:
    """The inverse of the hyperbolic tangent."""
    ...

def brev(x: _Value) -> tensor:
    """The bits in reverse."""
    ...

def byte_perm(x: _Value, y: _Value, s: _Value) -> tensor:
    """Four of the eight bytes of two words, chosen by the digits of the third."""
    ...

def cbrt(x: _Value) -> tensor:
    """The cubic root."""
    ...

def ceil(x: _Value) -> tensor:
    """The least integer that is not below x."""
    ...

def clz(x: _Value) -> tensor:
    """The number of leading zeros of an integer."""
    ...

def copysign(x: _Value, y: _Value) -> tensor:
    """The magnitude of x with the sign of y."""
    ...

def cos(x: _Value) -> tensor:
    """The cosine of radians."""
    ...

def cosh(x: _Value) -> tensor:
    """The hyperbolic cosine."""
    ...

def cospi(x: _Value) -> tensor:
    """The cosine of multiples of pi."""
    ...

def cyl_bessel_i0(x: _Value) -> tensor:
    """The modified Bessel function of order 0."""
    ...

def cyl_bessel_i1(x: _Value) -> tensor:
    """The modified Bessel function of order 1."""
    ...

def div_rd(x: _Value, y: _Value) -> tensor:
    """The quotient, rounded down."""
    ...

def div_rn(x: _Value, y: _Value) -> tensor:
    """The quotient, rounded to nearest."""
    ...

def div_ru(x: _Value, y: _Value) -> tensor:
    """The quotient, rounded up."""
    ...

def div_rz(x: _Value, y: _Value) -> tensor:
    """The quotient, rounded towards zero."""
    ...

def double2float_rd(x: _Value) -> tensor:
    """fp64 as fp32, rounded down."""
    ...

def double2float_rn(x: _Value) -> tensor:
    """fp64 as fp32, rounded to nearest."""
    ...

def double2float_ru(x: _Value) -> tensor:
    """fp64 as fp32, rounded up."""
    ...

def double2float_rz(x: _Value) -> tensor:
    """fp64 as fp32, rounded towards zero."""
    ...

def double2hiint(x: _Value) -> tensor:
    """The high word of a double."""
    ...

def double2int_rd(x: _Value) -> tensor:
    """fp64 as int32, rounded down."""
    ...

def double2int_rn(x: _Value) -> tensor:
    """fp64 as int32, rounded to nearest."""
    ...

def double2int_ru(x: _Value) -> tensor:
    """fp64 as int32, rounded up."""
    ...

def double2int_rz(x: _Value) -> tensor:
    """fp64 as int32, rounded towards zero."""
    ...

def double2ll_rd(x: _Value) -> tensor:
    """fp64 as int64, rounded down."""
    ...

def double2ll_rn(x: _Value) -> tensor:
    """fp64 as int64, rounded to nearest."""
    ...

def double2ll_ru(x: _Value) -> tensor:
    """fp64 as int64, rounded up."""
    ...

def double2ll_rz(x: _Value) -> tensor:
    """fp64 as int64, rounded towards zero."""
    ...

def double2loint(x: _Value) -> tensor:
    """The low word of a double."""
    ...

def double2uint_rd(x: _Value) -> tensor:
    """fp64 as uint32, rounded down."""
    ...

def double2uint_rn(x: _Value) -> tensor:
    """fp64 as uint32, rounded to nearest."""
    ...

def double2uint_ru(x: _Value) -> tensor:
    """fp64 as uint32, rounded up."""
    ...

def double2uint_rz(x: _Value) -> tensor:
    """fp64 as uint32, rounded towards zero."""
    ...

def double2ull_rd(x: _Value) -> tensor:
    """fp64 as uint64, rounded down."""
    ...

def double2ull_rn(x: _Value) -> tensor:
    """fp64 as uint64, rounded to nearest."""
    ...

def double2ull_ru(x: _Value) -> tensor:
    """fp64 as uint64, rounded up."""
    ...

def double2ull_rz(x: _Value) -> tensor:
    """fp64 as uint64, rounded towards zero."""
    ...

def double_as_longlong(x: _Value) -> tensor:
    """The bits of a double as an integer."""
    ...

def erf(x: _Value) -> tensor:
    """The error function."""
    ...

def erfc(x: _Value) -> tensor:
    """1 - erf(x)."""
    ...

def erfcinv(x: _Value) -> tensor:
    """The inverse of erfc."""
    ...

def erfcx(x: _Value) -> tensor:
    """erfc(x) * exp(x * x)."""
    ...

def erfinv(x: _Value) -> tensor:
    """The inverse of erf."""
    ...

def exp(x: _Value) -> tensor:
    """e to the power of x."""
    ...

def exp10(x: _Value) -> tensor:
    """10 to the power of x."""
    ...

def exp2(x: _Value) -> tensor:
    """2 to the power of x."""
    ...

def expm1(x: _Value) -> tensor:
    """exp(x) - 1, also for small x."""
    ...

def fabs(x: _Value) -> tensor:
    """The magnitude of floats."""
    ...

def fast_cosf(x: _Value) -> tensor:
    """The cosine, fast."""
    ...

def fast_dividef(x: _Value, y: _Value) -> tensor:
    """The quotient, fast."""
    ...

def fast_exp10f(x: _Value) -> tensor:
    """10 to the power of x, fast."""
    ...

def fast_expf(x: _Value) -> tensor:
    """e to the power of x, fast."""
    ...

def fast_log10f(x: _Value) -> tensor:
    """The logarithm to the base 10, fast."""
    ...

def fast_log2f(x: _Value) -> tensor:
    """The logarithm to the base 2, fast."""
    ...

def fast_logf(x: _Value) -> tensor:
    """The natural logarithm, fast."""
    ...

def fast_powf(x: _Value, y: _Value) -> tensor:
    """x to the power of y, fast."""
    ...

def fast_sinf(x: _Value) -> tensor:
    """The sine, fast."""
    ...

def fast_tanf(x: _Value) -> tensor:
    """The tangent, fast."""
    ...

def fdim(x: _Value, y: _Value) -> tensor:
    """x - y, or zero where that is negative."""
    ...

def ffs(x: _Value) -> tensor:
    """The place of the lowest bit that is set, from 1 on; 0 where none is."""
    ...

def finitef(x: _Value) -> tensor:
    """Whether a float is neither infinite nor NaN."""
    ...

def float2int_rd(x: _Value) -> tensor:
    """fp32 as int32, rounded down."""
    ...

def float2int_rn(x: _Value) -> tensor:
    """fp32 as int32, rounded to nearest."""
    ...

def float2int_ru(x: _Value) -> tensor:
    """fp32 as int32, rounded up."""
    ...

def float2int_rz(x: _Value) -> tensor:
    """fp32 as int32, rounded towards zero."""
    ...

def float2ll_rd(x: _Value) -> tensor:
    """fp32 as int64, rounded down."""
    ...

def float2ll_rn(x: _Value) -> tensor:
    """fp32 as int64, rounded to nearest."""
    ...

def float2ll_ru(x: _Value) -> tensor:
    """fp32 as int64, rounded up."""
    ...

def float2ll_rz(x: _Value) -> tensor:
    """fp32 as int64, rounded towards zero."""
    ...

def float2uint_rd(x: _Value) -> tensor:
    """fp32 as uint32, rounded down."""
    ...

def float2uint_rn(x: _Value) -> tensor:
    """fp32 as uint32, rounded to nearest."""
    ...

def float2uint_ru(x: _Value) -> tensor:
    """fp32 as uint32, rounded up."""
    ...

def float2uint_rz(x: _Value) -> tensor:
    """fp32 as uint32, rounded towards zero."""
    ...

def float2ull_rd(x: _Value) -> tensor:
    """fp32 as uint64, rounded down."""
    ...

def float2ull_rn(x: _Value) -> tensor:
    """fp32 as uint64, rounded to nearest."""
    ...

def float2ull_ru(x: _Value) -> tensor:
    """fp32 as uint64, rounded up."""
    ...

def float2ull_rz(x: _Value) -> tensor:
    """fp32 as uint64, rounded towards zero."""
    ...

def float_as_int(x: _Value) -> tensor:
    """The bits of a float as an integer."""
    ...

def float_as_uint(x: _Value) -> tensor:
    """The bits of a float as an integer without a sign."""
    ...

def floor(x: _Value) -> tensor:
    """The greatest integer that is not above x."""
    ...

def fma(x: _Value, y: _Value, z: _Value) -> tensor:
    """x * y + z, rounded once."""
    ...

def fma_rd(x: _Value, y: _Value, z: _Value) -> tensor:
    """x * y + z, rounded down."""
    ...

def fma_rn(x: _Value, y: _Value, z: _Value) -> tensor:
    """x * y + z, rounded to nearest."""
    ...

def fma_ru(x: _Value, y: _Value, z: _Value) -> tensor:
    """x * y + z, rounded up."""
    ...

def fma_rz(x: _Value, y: _Value, z: _Value) -> tensor:
    """x * y + z, rounded towards zero."""
    ...

def fmod(x: _Value, y: _Value) -> tensor:
    """The rest of x / y with the sign of x."""
    ...

def hadd(x: _Value, y: _Value) -> tensor:
    """The mean of two integers, rounded down."""
    ...

def hiloint2double(hi: _Value, lo: _Value) -> tensor:
    """A double of its two words."""
    ...

def hypot(x: _Value, y: _Value) -> tensor:
    """The length of the vector (x, y)."""
    ...

def ilogb(x: _Value) -> tensor:
    """The exponent as an integer."""
    ...

def int2double_rd(x: _Value) -> tensor:
    """int32 as fp64, rounded down."""
    ...

def int2double_rn(x: _Value) -> tensor:
    """int32 as fp64, rounded to nearest."""
    ...

def int2double_ru(x: _Value) -> tensor:
    """int32 as fp64, rounded up."""
    ...

def int2double_rz(x: _Value) -> tensor:
    """int32 as fp64, rounded towards zero."""
    ...

def int2float_rd(x: _Value) -> tensor:
    """int32 as fp32, rounded down."""
    ...

def int2float_rn(x: _Value) -> tensor:
    """int32 as fp32, rounded to nearest."""
    ...

def int2float_ru(x: _Value) -> tensor:
    """int32 as fp32, rounded up."""
    ...

def int2float_rz(x: _Value) -> tensor:
    """int32 as fp32, rounded towards zero."""
    ...

def int_as_float(x: _Value) -> tensor:
    """The bits of an integer as a float."""
    ...

def isfinited(x: _Value) -> tensor:
    """Whether a double is neither infinite nor NaN."""
    ...

def isinf(x: _Value) -> tensor:
    """Whether it is infinite."""
    ...

def isnan(x: _Value) -> tensor:
    """Whether it is NaN."""
    ...

def j0(x: _Value) -> tensor:
    """The Bessel function of the first kind of order 0."""
    ...

def j1(x: _Value) -> tensor:
    """The Bessel function of the first kind of order 1."""
    ...

def jn(n: _Value, x: _Value) -> tensor:
    """The Bessel function of the first kind of order n."""
    ...

def ldexp(x: _Value, n: _Value) -> tensor:
    """x times 2 to the power of n."""
    ...

def lgamma(x: _Value) -> tensor:
    """The logarithm of the magnitude of the gamma function."""
    ...

def ll2double_rd(x: _Value) -> tensor:
    """int64 as fp64, rounded down."""
    ...

def ll2double_rn(x: _Value) -> tensor:
    """int64 as fp64, rounded to nearest."""
    ...

def ll2double_ru(x: _Value) -> tensor:
    """int64 as fp64, rounded up."""
    ...

def ll2double_rz(x: _Value) -> tensor:
    """int64 as fp64, rounded towards zero."""
    ...

def ll2float_rd(x: _Value) -> tensor:
    """int64 as fp32, rounded down."""
    ...

def ll2float_rn(x: _Value) -> tensor:
    """int64 as fp32, rounded to nearest."""
    ...

def ll2float_ru(x: _Value) -> tensor:
    """int64 as fp32, rounded up."""
    ...

def ll2float_rz(x: _Value) -> tensor:
    """int64 as fp32, rounded towards zero."""
    ...

def llrint(x: _Value) -> tensor:
    """The nearest integer as an int64; half-way cases go to the even one."""
    ...

def llround(x: _Value) -> tensor:
    """The nearest integer as an int64; half-way cases go away from zero."""
    ...

def log(x: _Value) -> tensor:
    """The natural logarithm."""
    ...

def log10(x: _Value) -> tensor:
    """The logarithm to the base 10."""
    ...

def log1p(x: _Value) -> tensor:
    """log(1 + x), also for small x."""
    ...

def log2(x: _Value) -> tensor:
    """The logarithm to the base 2."""
    ...

def logb(x: _Value) -> tensor:
    """The exponent as a float."""
    ...

def longlong_as_double(x: _Value) -> tensor:
    """The bits of an integer as a double."""
    ...

def max(x: _Value, y: _Value) -> tensor:
    """The larger of two."""
    ...

def min(x: _Value, y: _Value) -> tensor:
    """The smaller of two."""
    ...

def mul24(x: _Value, y: _Value) -> tensor:
    """The product of the low 24 bits."""
    ...

def mul_rd(x: _Value, y: _Value) -> tensor:
    """The product, rounded down."""
    ...

def mul_rn(x: _Value, y: _Value) -> tensor:
    """The product, rounded to nearest."""
    ...

def mul_ru(x: _Value, y: _Value) -> tensor:
    """The product, rounded up."""
    ...

def mul_rz(x: _Value, y: _Value) -> tensor:
    """The product, rounded towards zero."""
    ...

def mulhi(x: _Value, y: _Value) -> tensor:
    """The high half of the product of two integers."""
    ...

def nearbyint(x: _Value) -> tensor:
    """The nearest integer; half-way cases go to the even one."""
    ...

def nextafter(x: _Value, y: _Value) -> tensor:
    """The float next to x in the direction of y."""
    ...

def norm3d(x: _Value, y: _Value, z: _Value) -> tensor:
    """The length of a vector of three."""
    ...

def norm4d(x: _Value, y: _Value, z: _Value, w: _Value) -> tensor:
    """The length of a vector of four."""
    ...

def normcdf(x: _Value) -> tensor:
    """The distribution function of the normal distribution."""
    ...

def normcdfinv(x: _Value) -> tensor:
    """The inverse of normcdf."""
    ...

def popc(x: _Value) -> tensor:
    """The number of bits that are set."""
    ...

def pow(x: _Value, y: _Value) -> tensor:
    """x to the power of y."""
    ...

def rcbrt(x: _Value) -> tensor:
    """The reciprocal of the cubic root."""
    ...

def rcp64h(x: _Value) -> tensor:
    """The high word of the reciprocal of a double."""
    ...

def rcp_rd(x: _Value) -> tensor:
    """The reciprocal, rounded down."""
    ...

def rcp_rn(x: _Value) -> tensor:
    """The reciprocal, rounded to nearest."""
    ...

def rcp_ru(x: _Value) -> tensor:
    """The reciprocal, rounded up."""
    ...

def rcp_rz(x: _Value) -> tensor:
    """The reciprocal, rounded towards zero."""
    ...

def remainder(x: _Value, y: _Value) -> tensor:
    """x less the multiple of y that is nearest."""
    ...

def rhadd(x: _Value, y: _Value) -> tensor:
    """The mean of two integers, rounded up."""
    ...

def rhypot(x: _Value, y: _Value) -> tensor:
    """The reciprocal of the length of the vector (x, y)."""
    ...

def rint(x: _Value) -> tensor:
    """The nearest integer; half-way cases go to the even one."""
    ...

def rnorm3d(x: _Value, y: _Value, z: _Value) -> tensor:
    """The reciprocal of the length of a vector of three."""
    ...

def rnorm4d(x: _Value, y: _Value, z: _Value, w: _Value) -> tensor:
    """The reciprocal of the length of a vector of four."""
    ...

def round(x: _Value) -> tensor:
    """The nearest integer; half-way cases go away from zero."""
    ...

def rsqrt(x: _Value) -> tensor:
    """The reciprocal of the square root."""
    ...

def rsqrt_rn(x: _Value) -> tensor:
    """The reciprocal of the square root, rounded to nearest."""
    ...

def sad(x: _Value, y: _Value, z: _Value) -> tensor:
    """The magnitude of x - y, plus z."""
    ...

def saturatef(x: _Value) -> tensor:
    """A float limited to the range from 0 to 1."""
    ...

def scalbn(x: _Value, n: _Value) -> tensor:
    """x times 2 to the power of n."""
    ...

def signbit(x: _Value) -> tensor:
    """Whether the sign is set."""
    ...

def sin(x: _Value) -> tensor:
    """The sine of radians."""
    ...

def sinh(x: _Value) -> tensor:
    """The hyperbolic sine."""
    ...

def sinpi(x: _Value) -> tensor:
    """The sine of multiples of pi."""
    ...

def sqrt(x: _Value) -> tensor:
    """The square root."""
    ...

def sqrt_rd(x: _Value) -> tensor:
    """The square root, rounded down."""
    ...

def sqrt_rn(x: _Value) -> tensor:
    """The square root, rounded to nearest."""
    ...

def sqrt_ru(x: _Value) -> tensor:
    """The square root, rounded up."""
    ...

def sqrt_rz(x: _Value) -> tensor:
    """The square root, rounded towards zero."""
    ...

def sub_rd(x: _Value, y: _Value) -> tensor:
    """The difference, rounded down."""
    ...

def sub_rn(x: _Value, y: _Value) -> tensor:
    """The difference, rounded to nearest."""
    ...

def sub_ru(x: _Value, y: _Value) -> tensor:
    """The difference, rounded up."""
    ...

def sub_rz(x: _Value, y: _Value) -> tensor:
    """The difference, rounded towards zero."""
    ...

def tan(x: _Value) -> tensor:
    """The tangent of radians."""
    ...

def tanh(x: _Value) -> tensor:
    """The hyperbolic tangent."""
    ...

def tgamma(x: _Value) -> tensor:
    """The gamma function."""
    ...

def trunc(x: _Value) -> tensor:
    """The integer part."""
    ...

def uint2double_rd(x: _Value) -> tensor:
    """uint32 as fp64, rounded down."""
    ...

def uint2double_rn(x: _Value) -> tensor:
    """uint32 as fp64, rounded to nearest."""
    ...

def uint2double_ru(x: _Value) -> tensor:
    """uint32 as fp64, rounded up."""
    ...

def uint2double_rz(x: _Value) -> tensor:
    """uint32 as fp64, rounded towards zero."""
    ...

def uint2float_rd(x: _Value) -> tensor:
    """uint32 as fp32, rounded down."""
    ...

def uint2float_rn(x: _Value) -> tensor:
    """uint32 as fp32, rounded to nearest."""
    ...

def uint2float_ru(x: _Value) -> tensor:
    """uint32 as fp32, rounded up."""
    ...

def uint2float_rz(x: _Value) -> tensor:
    """uint32 as fp32, rounded towards zero."""
    ...

def uint_as_float(x: _Value) -> tensor:
    """The bits of an integer without a sign as a float."""
    ...

def ull2double_rd(x: _Value) -> tensor:
    """uint64 as fp64, rounded down."""
    ...

def ull2double_rn(x: _Value) -> tensor:
    """uint64 as fp64, rounded to nearest."""
    ...

def ull2double_ru(x: _Value) -> tensor:
    """uint64 as fp64, rounded up."""
    ...

def ull2double_rz(x: _Value) -> tensor:
    """uint64 as fp64, rounded towards zero."""
    ...

def ull2float_rd(x: _Value) -> tensor:
    """uint64 as fp32, rounded down."""
    ...

def ull2float_rn(x: _Value) -> tensor:
    """uint64 as fp32, rounded to nearest."""
    ...

def ull2float_ru(x: _Value) -> tensor:
    """uint64 as fp32, rounded up."""
    ...

def ull2float_rz(x: _Value) -> tensor:
    """uint64 as fp32, rounded towards zero."""
    ...

def y0(x: _Value) -> tensor:
    """The Bessel function of the second kind of order 0."""
    ...

def y1(x: _Value) -> tensor:
    """The Bessel function of the second kind of order 1."""
    ...

def yn(n: _Value, x: _Value) -> tensor:
    """The Bessel function of the second kind of order n."""
    ...
