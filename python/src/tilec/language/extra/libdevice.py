# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
"""The functions of libdevice, `tl.extra.libdevice`, element by element."""

from .._markers import outside


def abs(x):
    """The magnitude."""
    raise outside("libdevice.abs")


def acos(x):
    """The angle of a cosine."""
    raise outside("libdevice.acos")


def acosh(x):
    """The inverse of the hyperbolic cosine."""
    raise outside("libdevice.acosh")


def add_rd(x, y):
    """The sum, rounded down."""
    raise outside("libdevice.add_rd")


def add_rn(x, y):
    """The sum, rounded to nearest."""
    raise outside("libdevice.add_rn")


def add_ru(x, y):
    """The sum, rounded up."""
    raise outside("libdevice.add_ru")


def add_rz(x, y):
    """The sum, rounded towards zero."""
    raise outside("libdevice.add_rz")


def asin(x):
    """The angle of a sine."""
    raise outside("libdevice.asin")


def asinh(x):
    """The inverse of the hyperbolic sine."""
    raise outside("libdevice.asinh")


def atan(x):
    """The angle of a tangent."""
    raise outside("libdevice.atan")


def atan2(x, y):
    """The angle of the point with the ordinate x and the abscissa y."""
    raise outside("libdevice.atan2")


def atanh(x):
    """The inverse of the hyperbolic tangent."""
    raise outside("libdevice.atanh")


def brev(x):
    """The bits in reverse."""
    raise outside("libdevice.brev")


def byte_perm(x, y, s):
    """Four of the eight bytes of two words, chosen by the digits of the third."""
    raise outside("libdevice.byte_perm")


def cbrt(x):
    """The cubic root."""
    raise outside("libdevice.cbrt")


def ceil(x):
    """The least integer that is not below x."""
    raise outside("libdevice.ceil")


def clz(x):
    """The number of leading zeros of an integer."""
    raise outside("libdevice.clz")


def copysign(x, y):
    """The magnitude of x with the sign of y."""
    raise outside("libdevice.copysign")


def cos(x):
    """The cosine of radians."""
    raise outside("libdevice.cos")


def cosh(x):
    """The hyperbolic cosine."""
    raise outside("libdevice.cosh")


def cospi(x):
    """The cosine of multiples of pi."""
    raise outside("libdevice.cospi")


def cyl_bessel_i0(x):
    """The modified Bessel function of order 0."""
    raise outside("libdevice.cyl_bessel_i0")


def cyl_bessel_i1(x):
    """The modified Bessel function of order 1."""
    raise outside("libdevice.cyl_bessel_i1")


def div_rd(x, y):
    """The quotient, rounded down."""
    raise outside("libdevice.div_rd")


def div_rn(x, y):
    """The quotient, rounded to nearest."""
    raise outside("libdevice.div_rn")


def div_ru(x, y):
    """The quotient, rounded up."""
    raise outside("libdevice.div_ru")


def div_rz(x, y):
    """The quotient, rounded towards zero."""
    raise outside("libdevice.div_rz")


def double2float_rd(x):
    """fp64 as fp32, rounded down."""
    raise outside("libdevice.double2float_rd")


def double2float_rn(x):
    """fp64 as fp32, rounded to nearest."""
    raise outside("libdevice.double2float_rn")


def double2float_ru(x):
    """fp64 as fp32, rounded up."""
    raise outside("libdevice.double2float_ru")


def double2float_rz(x):
    """fp64 as fp32, rounded towards zero."""
    raise outside("libdevice.double2float_rz")


def double2hiint(x):
    """The high word of a double."""
    raise outside("libdevice.double2hiint")


def double2int_rd(x):
    """fp64 as int32, rounded down."""
    raise outside("libdevice.double2int_rd")


def double2int_rn(x):
    """fp64 as int32, rounded to nearest."""
    raise outside("libdevice.double2int_rn")


def double2int_ru(x):
    """fp64 as int32, rounded up."""
    raise outside("libdevice.double2int_ru")


def double2int_rz(x):
    """fp64 as int32, rounded towards zero."""
    raise outside("libdevice.double2int_rz")


def double2ll_rd(x):
    """fp64 as int64, rounded down."""
    raise outside("libdevice.double2ll_rd")


def double2ll_rn(x):
    """fp64 as int64, rounded to nearest."""
    raise outside("libdevice.double2ll_rn")


def double2ll_ru(x):
    """fp64 as int64, rounded up."""
    raise outside("libdevice.double2ll_ru")


def double2ll_rz(x):
    """fp64 as int64, rounded towards zero."""
    raise outside("libdevice.double2ll_rz")


def double2loint(x):
    """The low word of a double."""
    raise outside("libdevice.double2loint")


def double2uint_rd(x):
    """fp64 as uint32, rounded down."""
    raise outside("libdevice.double2uint_rd")


def double2uint_rn(x):
    """fp64 as uint32, rounded to nearest."""
    raise outside("libdevice.double2uint_rn")


def double2uint_ru(x):
    """fp64 as uint32, rounded up."""
    raise outside("libdevice.double2uint_ru")


def double2uint_rz(x):
    """fp64 as uint32, rounded towards zero."""
    raise outside("libdevice.double2uint_rz")


def double2ull_rd(x):
    """fp64 as uint64, rounded down."""
    raise outside("libdevice.double2ull_rd")


def double2ull_rn(x):
    """fp64 as uint64, rounded to nearest."""
    raise outside("libdevice.double2ull_rn")


def double2ull_ru(x):
    """fp64 as uint64, rounded up."""
    raise outside("libdevice.double2ull_ru")


def double2ull_rz(x):
    """fp64 as uint64, rounded towards zero."""
    raise outside("libdevice.double2ull_rz")


def double_as_longlong(x):
    """The bits of a double as an integer."""
    raise outside("libdevice.double_as_longlong")


def erf(x):
    """The error function."""
    raise outside("libdevice.erf")


def erfc(x):
    """1 - erf(x)."""
    raise outside("libdevice.erfc")


def erfcinv(x):
    """The inverse of erfc."""
    raise outside("libdevice.erfcinv")


def erfcx(x):
    """erfc(x) * exp(x * x)."""
    raise outside("libdevice.erfcx")


def erfinv(x):
    """The inverse of erf."""
    raise outside("libdevice.erfinv")


def exp(x):
    """e to the power of x."""
    raise outside("libdevice.exp")


def exp10(x):
    """10 to the power of x."""
    raise outside("libdevice.exp10")


def exp2(x):
    """2 to the power of x."""
    raise outside("libdevice.exp2")


def expm1(x):
    """exp(x) - 1, also for small x."""
    raise outside("libdevice.expm1")


def fabs(x):
    """The magnitude of floats."""
    raise outside("libdevice.fabs")


def fast_cosf(x):
    """The cosine, fast."""
    raise outside("libdevice.fast_cosf")


def fast_dividef(x, y):
    """The quotient, fast."""
    raise outside("libdevice.fast_dividef")


def fast_exp10f(x):
    """10 to the power of x, fast."""
    raise outside("libdevice.fast_exp10f")


def fast_expf(x):
    """e to the power of x, fast."""
    raise outside("libdevice.fast_expf")


def fast_log10f(x):
    """The logarithm to the base 10, fast."""
    raise outside("libdevice.fast_log10f")


def fast_log2f(x):
    """The logarithm to the base 2, fast."""
    raise outside("libdevice.fast_log2f")


def fast_logf(x):
    """The natural logarithm, fast."""
    raise outside("libdevice.fast_logf")


def fast_powf(x, y):
    """x to the power of y, fast."""
    raise outside("libdevice.fast_powf")


def fast_sinf(x):
    """The sine, fast."""
    raise outside("libdevice.fast_sinf")


def fast_tanf(x):
    """The tangent, fast."""
    raise outside("libdevice.fast_tanf")


def fdim(x, y):
    """x - y, or zero where that is negative."""
    raise outside("libdevice.fdim")


def ffs(x):
    """The place of the lowest bit that is set, from 1 on; 0 where none is."""
    raise outside("libdevice.ffs")


def finitef(x):
    """Whether a float is neither infinite nor NaN."""
    raise outside("libdevice.finitef")


def float2int_rd(x):
    """fp32 as int32, rounded down."""
    raise outside("libdevice.float2int_rd")


def float2int_rn(x):
    """fp32 as int32, rounded to nearest."""
    raise outside("libdevice.float2int_rn")


def float2int_ru(x):
    """fp32 as int32, rounded up."""
    raise outside("libdevice.float2int_ru")


def float2int_rz(x):
    """fp32 as int32, rounded towards zero."""
    raise outside("libdevice.float2int_rz")


def float2ll_rd(x):
    """fp32 as int64, rounded down."""
    raise outside("libdevice.float2ll_rd")


def float2ll_rn(x):
    """fp32 as int64, rounded to nearest."""
    raise outside("libdevice.float2ll_rn")


def float2ll_ru(x):
    """fp32 as int64, rounded up."""
    raise outside("libdevice.float2ll_ru")


def float2ll_rz(x):
    """fp32 as int64, rounded towards zero."""
    raise outside("libdevice.float2ll_rz")


def float2uint_rd(x):
    """fp32 as uint32, rounded down."""
    raise outside("libdevice.float2uint_rd")


def float2uint_rn(x):
    """fp32 as uint32, rounded to nearest."""
    raise outside("libdevice.float2uint_rn")


def float2uint_ru(x):
    """fp32 as uint32, rounded up."""
    raise outside("libdevice.float2uint_ru")


def float2uint_rz(x):
    """fp32 as uint32, rounded towards zero."""
    raise outside("libdevice.float2uint_rz")


def float2ull_rd(x):
    """fp32 as uint64, rounded down."""
    raise outside("libdevice.float2ull_rd")


def float2ull_rn(x):
    """fp32 as uint64, rounded to nearest."""
    raise outside("libdevice.float2ull_rn")


def float2ull_ru(x):
    """fp32 as uint64, rounded up."""
    raise outside("libdevice.float2ull_ru")


def float2ull_rz(x):
    """fp32 as uint64, rounded towards zero."""
    raise outside("libdevice.float2ull_rz")


def float_as_int(x):
    """The bits of a float as an integer."""
    raise outside("libdevice.float_as_int")


def float_as_uint(x):
    """The bits of a float as an integer without a sign."""
    raise outside("libdevice.float_as_uint")


def floor(x):
    """The greatest integer that is not above x."""
    raise outside("libdevice.floor")


def fma(x, y, z):
    """x * y + z, rounded once."""
    raise outside("libdevice.fma")


def fma_rd(x, y, z):
    """x * y + z, rounded down."""
    raise outside("libdevice.fma_rd")


def fma_rn(x, y, z):
    """x * y + z, rounded to nearest."""
    raise outside("libdevice.fma_rn")


def fma_ru(x, y, z):
    """x * y + z, rounded up."""
    raise outside("libdevice.fma_ru")


def fma_rz(x, y, z):
    """x * y + z, rounded towards zero."""
    raise outside("libdevice.fma_rz")


def fmod(x, y):
    """The rest of x / y with the sign of x."""
    raise outside("libdevice.fmod")


def hadd(x, y):
    """The mean of two integers, rounded down."""
    raise outside("libdevice.hadd")


def hiloint2double(hi, lo):
    """A double of its two words."""
    raise outside("libdevice.hiloint2double")


def hypot(x, y):
    """The length of the vector (x, y)."""
    raise outside("libdevice.hypot")


def ilogb(x):
    """The exponent as an integer."""
    raise outside("libdevice.ilogb")


def int2double_rd(x):
    """int32 as fp64, rounded down."""
    raise outside("libdevice.int2double_rd")


def int2double_rn(x):
    """int32 as fp64, rounded to nearest."""
    raise outside("libdevice.int2double_rn")


def int2double_ru(x):
    """int32 as fp64, rounded up."""
    raise outside("libdevice.int2double_ru")


def int2double_rz(x):
    """int32 as fp64, rounded towards zero."""
    raise outside("libdevice.int2double_rz")


def int2float_rd(x):
    """int32 as fp32, rounded down."""
    raise outside("libdevice.int2float_rd")


def int2float_rn(x):
    """int32 as fp32, rounded to nearest."""
    raise outside("libdevice.int2float_rn")


def int2float_ru(x):
    """int32 as fp32, rounded up."""
    raise outside("libdevice.int2float_ru")


def int2float_rz(x):
    """int32 as fp32, rounded towards zero."""
    raise outside("libdevice.int2float_rz")


def int_as_float(x):
    """The bits of an integer as a float."""
    raise outside("libdevice.int_as_float")


def isfinited(x):
    """Whether a double is neither infinite nor NaN."""
    raise outside("libdevice.isfinited")


def isinf(x):
    """Whether it is infinite."""
    raise outside("libdevice.isinf")


def isnan(x):
    """Whether it is NaN."""
    raise outside("libdevice.isnan")


def j0(x):
    """The Bessel function of the first kind of order 0."""
    raise outside("libdevice.j0")


def j1(x):
    """The Bessel function of the first kind of order 1."""
    raise outside("libdevice.j1")


def jn(n, x):
    """The Bessel function of the first kind of order n."""
    raise outside("libdevice.jn")


def ldexp(x, n):
    """x times 2 to the power of n."""
    raise outside("libdevice.ldexp")


def lgamma(x):
    """The logarithm of the magnitude of the gamma function."""
    raise outside("libdevice.lgamma")


def ll2double_rd(x):
    """int64 as fp64, rounded down."""
    raise outside("libdevice.ll2double_rd")


def ll2double_rn(x):
    """int64 as fp64, rounded to nearest."""
    raise outside("libdevice.ll2double_rn")


def ll2double_ru(x):
    """int64 as fp64, rounded up."""
    raise outside("libdevice.ll2double_ru")


def ll2double_rz(x):
    """int64 as fp64, rounded towards zero."""
    raise outside("libdevice.ll2double_rz")


def ll2float_rd(x):
    """int64 as fp32, rounded down."""
    raise outside("libdevice.ll2float_rd")


def ll2float_rn(x):
    """int64 as fp32, rounded to nearest."""
    raise outside("libdevice.ll2float_rn")


def ll2float_ru(x):
    """int64 as fp32, rounded up."""
    raise outside("libdevice.ll2float_ru")


def ll2float_rz(x):
    """int64 as fp32, rounded towards zero."""
    raise outside("libdevice.ll2float_rz")


def llrint(x):
    """The nearest integer as an int64; half-way cases go to the even one."""
    raise outside("libdevice.llrint")


def llround(x):
    """The nearest integer as an int64; half-way cases go away from zero."""
    raise outside("libdevice.llround")


def log(x):
    """The natural logarithm."""
    raise outside("libdevice.log")


def log10(x):
    """The logarithm to the base 10."""
    raise outside("libdevice.log10")


def log1p(x):
    """log(1 + x), also for small x."""
    raise outside("libdevice.log1p")


def log2(x):
    """The logarithm to the base 2."""
    raise outside("libdevice.log2")


def logb(x):
    """The exponent as a float."""
    raise outside("libdevice.logb")


def longlong_as_double(x):
    """The bits of an integer as a double."""
    raise outside("libdevice.longlong_as_double")


def max(x, y):
    """The larger of two."""
    raise outside("libdevice.max")


def min(x, y):
    """The smaller of two."""
    raise outside("libdevice.min")


def mul24(x, y):
    """The product of the low 24 bits."""
    raise outside("libdevice.mul24")


def mul_rd(x, y):
    """The product, rounded down."""
    raise outside("libdevice.mul_rd")


def mul_rn(x, y):
    """The product, rounded to nearest."""
    raise outside("libdevice.mul_rn")


def mul_ru(x, y):
    """The product, rounded up."""
    raise outside("libdevice.mul_ru")


def mul_rz(x, y):
    """The product, rounded towards zero."""
    raise outside("libdevice.mul_rz")


def mulhi(x, y):
    """The high half of the product of two integers."""
    raise outside("libdevice.mulhi")


def nearbyint(x):
    """The nearest integer; half-way cases go to the even one."""
    raise outside("libdevice.nearbyint")


def nextafter(x, y):
    """The float next to x in the direction of y."""
    raise outside("libdevice.nextafter")


def norm3d(x, y, z):
    """The length of a vector of three."""
    raise outside("libdevice.norm3d")


def norm4d(x, y, z, w):
    """The length of a vector of four."""
    raise outside("libdevice.norm4d")


def normcdf(x):
    """The distribution function of the normal distribution."""
    raise outside("libdevice.normcdf")


def normcdfinv(x):
    """The inverse of normcdf."""
    raise outside("libdevice.normcdfinv")


def popc(x):
    """The number of bits that are set."""
    raise outside("libdevice.popc")


def pow(x, y):
    """x to the power of y."""
    raise outside("libdevice.pow")


def rcbrt(x):
    """The reciprocal of the cubic root."""
    raise outside("libdevice.rcbrt")


def rcp64h(x):
    """The high word of the reciprocal of a double."""
    raise outside("libdevice.rcp64h")


def rcp_rd(x):
    """The reciprocal, rounded down."""
    raise outside("libdevice.rcp_rd")


def rcp_rn(x):
    """The reciprocal, rounded to nearest."""
    raise outside("libdevice.rcp_rn")


def rcp_ru(x):
    """The reciprocal, rounded up."""
    raise outside("libdevice.rcp_ru")


def rcp_rz(x):
    """The reciprocal, rounded towards zero."""
    raise outside("libdevice.rcp_rz")


def remainder(x, y):
    """x less the multiple of y that is nearest."""
    raise outside("libdevice.remainder")


def rhadd(x, y):
    """The mean of two integers, rounded up."""
    raise outside("libdevice.rhadd")


def rhypot(x, y):
    """The reciprocal of the length of the vector (x, y)."""
    raise outside("libdevice.rhypot")


def rint(x):
    """The nearest integer; half-way cases go to the even one."""
    raise outside("libdevice.rint")


def rnorm3d(x, y, z):
    """The reciprocal of the length of a vector of three."""
    raise outside("libdevice.rnorm3d")


def rnorm4d(x, y, z, w):
    """The reciprocal of the length of a vector of four."""
    raise outside("libdevice.rnorm4d")


def round(x):
    """The nearest integer; half-way cases go away from zero."""
    raise outside("libdevice.round")


def rsqrt(x):
    """The reciprocal of the square root."""
    raise outside("libdevice.rsqrt")


def rsqrt_rn(x):
    """The reciprocal of the square root, rounded to nearest."""
    raise outside("libdevice.rsqrt_rn")


def sad(x, y, z):
    """The magnitude of x - y, plus z."""
    raise outside("libdevice.sad")


def saturatef(x):
    """A float limited to the range from 0 to 1."""
    raise outside("libdevice.saturatef")


def scalbn(x, n):
    """x times 2 to the power of n."""
    raise outside("libdevice.scalbn")


def signbit(x):
    """Whether the sign is set."""
    raise outside("libdevice.signbit")


def sin(x):
    """The sine of radians."""
    raise outside("libdevice.sin")


def sinh(x):
    """The hyperbolic sine."""
    raise outside("libdevice.sinh")


def sinpi(x):
    """The sine of multiples of pi."""
    raise outside("libdevice.sinpi")


def sqrt(x):
    """The square root."""
    raise outside("libdevice.sqrt")


def sqrt_rd(x):
    """The square root, rounded down."""
    raise outside("libdevice.sqrt_rd")


def sqrt_rn(x):
    """The square root, rounded to nearest."""
    raise outside("libdevice.sqrt_rn")


def sqrt_ru(x):
    """The square root, rounded up."""
    raise outside("libdevice.sqrt_ru")


def sqrt_rz(x):
    """The square root, rounded towards zero."""
    raise outside("libdevice.sqrt_rz")


def sub_rd(x, y):
    """The difference, rounded down."""
    raise outside("libdevice.sub_rd")


def sub_rn(x, y):
    """The difference, rounded to nearest."""
    raise outside("libdevice.sub_rn")


def sub_ru(x, y):
    """The difference, rounded up."""
    raise outside("libdevice.sub_ru")


def sub_rz(x, y):
    """The difference, rounded towards zero."""
    raise outside("libdevice.sub_rz")


def tan(x):
    """The tangent of radians."""
    raise outside("libdevice.tan")


def tanh(x):
    """The hyperbolic tangent."""
    raise outside("libdevice.tanh")


def tgamma(x):
    """The gamma function."""
    raise outside("libdevice.tgamma")


def trunc(x):
    """The integer part."""
    raise outside("libdevice.trunc")


def uint2double_rd(x):
    """uint32 as fp64, rounded down."""
    raise outside("libdevice.uint2double_rd")


def uint2double_rn(x):
    """uint32 as fp64, rounded to nearest."""
    raise outside("libdevice.uint2double_rn")


def uint2double_ru(x):
    """uint32 as fp64, rounded up."""
    raise outside("libdevice.uint2double_ru")


def uint2double_rz(x):
    """uint32 as fp64, rounded towards zero."""
    raise outside("libdevice.uint2double_rz")


def uint2float_rd(x):
    """uint32 as fp32, rounded down."""
    raise outside("libdevice.uint2float_rd")


def uint2float_rn(x):
    """uint32 as fp32, rounded to nearest."""
    raise outside("libdevice.uint2float_rn")


def uint2float_ru(x):
    """uint32 as fp32, rounded up."""
    raise outside("libdevice.uint2float_ru")


def uint2float_rz(x):
    """uint32 as fp32, rounded towards zero."""
    raise outside("libdevice.uint2float_rz")


def uint_as_float(x):
    """The bits of an integer without a sign as a float."""
    raise outside("libdevice.uint_as_float")


def ull2double_rd(x):
    """uint64 as fp64, rounded down."""
    raise outside("libdevice.ull2double_rd")


def ull2double_rn(x):
    """uint64 as fp64, rounded to nearest."""
    raise outside("libdevice.ull2double_rn")


def ull2double_ru(x):
    """uint64 as fp64, rounded up."""
    raise outside("libdevice.ull2double_ru")


def ull2double_rz(x):
    """uint64 as fp64, rounded towards zero."""
    raise outside("libdevice.ull2double_rz")


def ull2float_rd(x):
    """uint64 as fp32, rounded down."""
    raise outside("libdevice.ull2float_rd")


def ull2float_rn(x):
    """uint64 as fp32, rounded to nearest."""
    raise outside("libdevice.ull2float_rn")


def ull2float_ru(x):
    """uint64 as fp32, rounded up."""
    raise outside("libdevice.ull2float_ru")


def ull2float_rz(x):
    """uint64 as fp32, rounded towards zero."""
    raise outside("libdevice.ull2float_rz")


def y0(x):
    """The Bessel function of the second kind of order 0."""
    raise outside("libdevice.y0")


def y1(x):
    """The Bessel function of the second kind of order 1."""
    raise outside("libdevice.y1")


def yn(n, x):
    """The Bessel function of the second kind of order n."""
    raise outside("libdevice.yn")


__all__ = [
    "abs", "acos", "acosh", "add_rd", "add_rn", "add_ru", "add_rz", "asin", "asinh", "atan", "atan2", "atanh", "brev",
    "byte_perm", "cbrt", "ceil", "clz", "copysign", "cos", "cosh", "cospi", "cyl_bessel_i0", "cyl_bessel_i1", "div_rd",
    "div_rn", "div_ru", "div_rz", "double2float_rd", "double2float_rn", "double2float_ru", "double2float_rz",
    "double2hiint", "double2int_rd", "double2int_rn", "double2int_ru", "double2int_rz", "double2ll_rd", "double2ll_rn",
    "double2ll_ru", "double2ll_rz", "double2loint", "double2uint_rd", "double2uint_rn", "double2uint_ru",
    "double2uint_rz", "double2ull_rd", "double2ull_rn", "double2ull_ru", "double2ull_rz", "double_as_longlong", "erf",
    "erfc", "erfcinv", "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fast_cosf", "fast_dividef",
    "fast_exp10f", "fast_expf", "fast_log10f", "fast_log2f", "fast_logf", "fast_powf", "fast_sinf", "fast_tanf", "fdim",
    "ffs", "finitef", "float2int_rd", "float2int_rn", "float2int_ru", "float2int_rz", "float2ll_rd", "float2ll_rn",
    "float2ll_ru", "float2ll_rz", "float2uint_rd", "float2uint_rn", "float2uint_ru", "float2uint_rz", "float2ull_rd",
    "float2ull_rn", "float2ull_ru", "float2ull_rz", "float_as_int", "float_as_uint", "floor", "fma", "fma_rd", "fma_rn",
    "fma_ru", "fma_rz", "fmod", "hadd", "hiloint2double", "hypot", "ilogb", "int2double_rd", "int2double_rn",
    "int2double_ru", "int2double_rz", "int2float_rd", "int2float_rn", "int2float_ru", "int2float_rz", "int_as_float",
    "isfinited", "isinf", "isnan", "j0", "j1", "jn", "ldexp", "lgamma", "ll2double_rd", "ll2double_rn", "ll2double_ru",
    "ll2double_rz", "ll2float_rd", "ll2float_rn", "ll2float_ru", "ll2float_rz", "llrint", "llround", "log", "log10",
    "log1p", "log2", "logb", "longlong_as_double", "max", "min", "mul24", "mul_rd", "mul_rn", "mul_ru", "mul_rz",
    "mulhi", "nearbyint", "nextafter", "norm3d", "norm4d", "normcdf", "normcdfinv", "popc", "pow", "rcbrt", "rcp64h",
    "rcp_rd", "rcp_rn", "rcp_ru", "rcp_rz", "remainder", "rhadd", "rhypot", "rint", "rnorm3d", "rnorm4d", "round",
    "rsqrt", "rsqrt_rn", "sad", "saturatef", "scalbn", "signbit", "sin", "sinh", "sinpi", "sqrt", "sqrt_rd", "sqrt_rn",
    "sqrt_ru", "sqrt_rz", "sub_rd", "sub_rn", "sub_ru", "sub_rz", "tan", "tanh", "tgamma", "trunc", "uint2double_rd",
    "uint2double_rn", "uint2double_ru", "uint2double_rz", "uint2float_rd", "uint2float_rn", "uint2float_ru",
    "uint2float_rz", "uint_as_float", "ull2double_rd", "ull2double_rn", "ull2double_ru", "ull2double_rz",
    "ull2float_rd", "ull2float_rn", "ull2float_ru", "ull2float_rz", "y0", "y1", "yn",
]  # yapf: disable
