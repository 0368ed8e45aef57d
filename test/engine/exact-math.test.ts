/** Exponentials, logarithms and angles of the engine: as exact as those of the platform, with bits that never change. */
import { expect, test } from 'vitest';
import { cos, exp, log, log1p, sin } from '../../src/engine/exact-math.ts';
import { createRandom, hashNumber } from '../../src/engine/random.ts';

const functions = { exp, log, log1p, sin, cos };
type Name = keyof typeof functions;

/** Arguments of every size that a function takes, the same ones each time. */
function* drawArguments(name: Name): Generator<number> {
  const random = createRandom(11);
  for (let i = 0; i < 20_000; i++) {
    const [share, size] = [random(), 2 ** Math.floor(random() * 60 - 45)];
    if (name === 'exp') yield i % 2 === 0 ? share * 1500 - 750 : (share - 0.5) * 2 * Math.min(size, 700);
    else if (name === 'log')
      yield i % 2 === 0 ? 2 ** Math.floor(random() * 2090 - 1070) * (1 + share) : 1 + share - 0.5;
    else if (name === 'log1p') yield i % 2 === 0 ? share * size : -share;
    else yield (share - 0.5) * 4 * Math.PI * (i % 2 === 0 ? 1 : 1000);
  }
}

const words = new Uint32Array(2);
const bits = new Float64Array(words.buffer);

/** The hash of all results' bits. */
function hashResults(name: Name): number {
  let hash = 0;
  for (const argument of drawArguments(name)) {
    bits[0] = functions[name](argument);
    hash = hashNumber(words[0]! | 0, hashNumber(words[1]! | 0, hash));
  }
  return hash;
}

test('results lie within one unit in the last place of those of the platform', () => {
  for (const name of Object.keys(functions) as Name[]) {
    for (const argument of drawArguments(name)) {
      const [own, theirs] = [functions[name](argument), Math[name](argument)];
      const unit = Math.max(Math.abs(theirs) * 2 ** -52, Number.MIN_VALUE);
      expect(own === theirs || Math.abs(own - theirs) <= unit, `${name}(${argument}) = ${own}, ${theirs}`).toBe(true);
    }
  }
});

test('what no number stands for is as the standard has it', () => {
  expect([exp(0), exp(1), exp(-800), exp(800)]).toEqual([1, Math.E, 0, Number.POSITIVE_INFINITY]);
  expect([log(1), log(0), log(-1), log(Number.POSITIVE_INFINITY)]).toEqual([0, -Infinity, Number.NaN, Infinity]);
  expect([log1p(0), log1p(-1), log1p(-2)]).toEqual([0, -Infinity, Number.NaN]);
  expect([exp(Number.NaN), log(Number.NaN), log1p(Number.NaN)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  expect([sin(0), cos(0)]).toEqual([0, 1]);
});

test('the bits are those of fdlibm, whatever runs them [TRN-31]', () => {
  expect(Object.fromEntries((Object.keys(functions) as Name[]).map((name) => [name, hashResults(name)]))).toEqual({
    exp: 1945462744,
    log: 99203727,
    log1p: 3298305015,
    sin: 1443280526,
    cos: 1104883056,
  });
});
