/**
 * exp, log, log1p, sin and cos to the same bits in every engine of JavaScript, whose standard leaves their last bits
 * open: V8 13.6 and 15.6 differ in them. The algorithms and constants are those of fdlibm 5.3 (netlib.org/fdlibm:
 * e_exp.c, e_log.c, s_log1p.c, k_sin.c, k_cos.c, e_rem_pio2.c), the sum of k_cos.c that of FreeBSD's msun:
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc.
 * business. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice
 * is preserved.
 */

const ln2High = 0.6931471803691238;
const ln2Low = 1.9082149292705877e-10;

/** Scratch for the bits of one double, its high word first; holds nothing between calls. */
const double = new DataView(new ArrayBuffer(8));

function readHigh(x: number): number {
  double.setFloat64(0, x);
  return double.getInt32(0);
}

function replaceHigh(x: number, word: number): number {
  double.setFloat64(0, x);
  double.setInt32(0, word);
  return double.getFloat64(0);
}

/** Returns 2^k, −1022 ≤ k ≤ 1023. */
const powerOfTwo = (k: number) => replaceHigh(0, (k + 1023) << 20);

/** Returns e^x, off by less than 1 ulp. */
export function exp(x: number): number {
  if (x > 709.782712893384) return Number.POSITIVE_INFINITY;
  if (x < -745.1332191019411) return 0;
  if (Number.isNaN(x)) return x;
  if (x === 1) return Math.E;
  const size = Math.abs(x);
  if (size < 2 ** -28) return 1 + x;
  let k = 0;
  // By the high words of 0.5 ln 2 and 1.5 ln 2, as fdlibm compares them.
  if (size >= 0.3465735912322998)
    k = size < 1.0397205352783203 ? Math.sign(x) : Math.trunc(Math.LOG2E * x + (x < 0 ? -0.5 : 0.5));
  const above = x - k * ln2High;
  const below = k * ln2Low;
  const rest = k === 0 ? x : above - below;
  const t = rest * rest;
  const c =
    rest -
    t *
      (0.16666666666666602 +
        t *
          (-0.0027777777777015593 +
            t * (6.613756321437934e-5 + t * (-1.6533902205465252e-6 + t * 4.1381367970572385e-8))));
  if (k === 0) return 1 - ((rest * c) / (c - 2) - rest);
  const y = 1 - (below - (rest * c) / (2 - c) - above);
  if (k === 1024) return y * 2 * powerOfTwo(1023);
  return k >= -1021 ? y * powerOfTwo(k) : y * powerOfTwo(k + 1000) * powerOfTwo(-1000);
}

/** Coefficients of ln(1 + f) as a series in s² = (f / (2 + f))². */
const lg1 = 0.6666666666666735;
const lg2 = 0.3999999999940942;
const lg3 = 0.2857142874366239;
const lg4 = 0.22222198432149784;
const lg5 = 0.1818357216161805;
const lg6 = 0.15313837699209373;
const lg7 = 0.14798198605116586;

/** Returns the natural logarithm, off by less than 1 ulp; NaN below 0. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  let k = 0;
  let normal = x;
  if (x < 2 ** -1022) {
    k = -54;
    normal *= 2 ** 54;
  }
  const word = readHigh(normal);
  const fraction = word & 0xfffff;
  const carry = (fraction + 0x95f64) & 0x100000;
  k += (word >> 20) - 1023 + (carry >> 20);
  const f = replaceHigh(normal, fraction | (carry ^ 0x3ff00000)) - 1;
  if ((0xfffff & (2 + fraction)) < 3) {
    const r = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - r : k * ln2High - (r - k * ln2Low - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const r = z * (lg1 + w * (lg3 + w * (lg5 + w * lg7))) + w * (lg2 + w * (lg4 + w * lg6));
  if (((fraction - 0x6147a) | (0x6b851 - fraction)) > 0) {
    const half = 0.5 * f * f;
    return k === 0 ? f - (half - s * (half + r)) : k * ln2High - (half - (s * (half + r) + k * ln2Low) - f);
  }
  return k === 0 ? f - s * (f - r) : k * ln2High - (s * (f - r) - k * ln2Low - f);
}

/** Returns ln(1 + x), off by less than 1 ulp also where x is tiny; NaN below −1. */
export function log1p(x: number): number {
  if (!(x > -1)) return x === -1 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  const size = Math.abs(x);
  if (size < 2 ** -29) return size < 2 ** -54 ? x : x - x * x * 0.5;
  const word = readHigh(x);
  let k = 0;
  let [f, c, fraction] = [x, 0, 1];
  // Outside √2/2 ≤ 1 + x < √2; a negative number has a negative word.
  if (word >= 0x3fda827a || (word < 0 && word > (0xbfd2bec4 | 0))) {
    const u = word < 0x43400000 ? 1 + x : x;
    fraction = readHigh(u);
    k = (fraction >> 20) - 1023;
    if (word < 0x43400000) c = (k > 0 ? 1 - (u - x) : x - (u - 1)) / u;
    fraction &= 0xfffff;
    if (fraction < 0x6a09e) f = replaceHigh(u, fraction | 0x3ff00000) - 1;
    else {
      k += 1;
      f = replaceHigh(u, fraction | 0x3fe00000) - 1;
      fraction = (0x100000 - fraction) >> 2;
    }
  }
  const half = 0.5 * f * f;
  if (fraction === 0) {
    const r = half * (1 - 0.6666666666666666 * f);
    return k === 0 ? f - r : k * ln2High - (r - (k * ln2Low + c) - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const r = z * (lg1 + z * (lg2 + z * (lg3 + z * (lg4 + z * (lg5 + z * (lg6 + z * lg7))))));
  return k === 0 ? f - (half - s * (half + r)) : k * ln2High - (half - (s * (half + r) + (k * ln2Low + c)) - f);
}

/** The sine of x + y, |x| ≤ π/4, where y is what x lacks. */
function sinNearZero(x: number, y: number): number {
  const z = x * x;
  const v = z * x;
  const r =
    0.00833333333332249 +
    z * (-1.984126982985795e-4 + z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)));
  return x - (z * (0.5 * y - v * r) - y - v * -0.16666666666666632);
}

/** The cosine of x + y, |x| ≤ π/4, where y is what x lacks. */
function cosNearZero(x: number, y: number): number {
  const z = x * x;
  const r =
    z * (0.0416666666666666 + z * (-0.001388888888887411 + z * 2.480158728947673e-5)) +
    z * z * (z * z) * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11));
  const half = 0.5 * z;
  const w = 1 - half;
  return w + (1 - w - half + (z * r - x * y));
}

/** Returns the cosine of `quarters` right angles and x, |x| ≤ 2^19 · π/2; larger angles lose digits. */
function turn(x: number, quarters: number): number {
  const n = Math.round(x * 0.6366197723675814);
  const near = x - n * 1.5707963267341256;
  const second = n * 6.077100506303966e-11;
  const r = near - second;
  const low = n * 2.0222662487959506e-21 - (near - r - second);
  const angle = r - low;
  const rest = r - angle - low;
  const quadrant = (n + quarters) & 3;
  const value = quadrant & 1 ? sinNearZero(angle, rest) : cosNearZero(angle, rest);
  return quadrant === 1 || quadrant === 2 ? -value : value;
}

/** Returns the cosine of an angle in radians, within 2^19 right angles; off by less than 1 ulp. */
export const cos = (x: number): number => turn(x, 0);

/** Returns the sine of an angle in radians, within 2^19 right angles; off by less than 1 ulp. */
export const sin = (x: number): number => turn(x, 3);
