#pragma once

/// Elementary functions that give the same bits on every machine.
///
/// The C library's exp, log, pow and sin pick an implementation by the CPU they run on (with or
/// without fused multiply-add), so their last bit, and with it a generated trace or a decayed
/// priority, differs between machines. These are made of + - * / and bit operations only, which
/// IEEE 754 fixes to the last bit, provided that the compiler doesn't fuse (-ffp-contract=off).
///
/// Relative error at most 1e-14 wherever the result is a normal number; zeros, infinities, NaN and
/// negative arguments as in ISO C Annex F. Tested against libm, and pinned by a hash of their bits.
namespace muster::detmath {

double exp(double x);
double exp2(double x);  // exact for whole x
double log(double x);
double log2(double x);  // exact for powers of two
double pow(double x, double y);
double sin(double x);  // any finite x: the reduction modulo pi/2 is done in integers

/// The standard normal quantile: P(Z <= normal_quantile(p)) == p, for 0 < p < 1.
/// Wichura, algorithm AS 241 (PPND16), Applied Statistics 37(3), 1988: about 1e-16 relative.
double normal_quantile(double p);

}  // namespace muster::detmath
