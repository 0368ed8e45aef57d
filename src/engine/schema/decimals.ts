/** Numbers as the shortest decimals that stand for them, which are what people wrote. */

/** Tests whether a number is a whole multiple of another one as both are written: 19.99 is one of 0.01. */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [a, b] = [readDecimal(value), readDecimal(divisor)];
  const exponent = Math.min(a.exponent, b.exponent);
  const [whole, by] = [a, b].map((one) => one.digits * 10n ** BigInt(one.exponent - exponent));
  return whole !== undefined && by !== undefined && by !== 0n && whole % by === 0n;
}

/** The digits of a finite number as a whole number, and the power of ten that it is multiplied by. */
function readDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - decimals };
}
