/** Which held-out rows stay measured after they are gone. */
import { expect, it } from 'vitest';
import { type EarlierAnswer, findTakenOut } from '../../../src/engine/findings/taken-out.ts';

/** Answers of a policy to 100 rows, of which every fifth is wrong; `isGone` says which rows are not there any more. */
const answer = (isGone: (row: number) => boolean, from = 0): EarlierAnswer[] =>
  Array.from({ length: 100 }, (_, row) => ({
    expected: 'yes',
    predicted: row % 5 === 0 ? 'no' : 'yes',
    confidence: 0.8,
    unfamiliar: false,
    isSetAside: false,
    inputHash: from + row,
    isThere: !isGone(row),
  }));
const isWrong = (row: number) => row % 5 === 0;

it('keeps rows that went because they were wrong, and no others [FIR-8]', () => {
  expect(findTakenOut([], new Set())).toEqual([]);
  expect(findTakenOut([answer(() => false)], new Set())).toEqual([]);
  // By age, all of them, or two: chance does as much.
  for (const isGone of [(row: number) => row < 60, () => true, (row: number) => row === 5 || row === 10])
    expect(findTakenOut([answer(isGone)], new Set())).toEqual([]);
  const wrong = findTakenOut([answer(isWrong)], new Set());
  expect(wrong.map(({ inputHash }) => inputHash)).toEqual(Array.from({ length: 20 }, (_, i) => 5 * i));
  // With the wrong ones all right ones that went, too.
  const some = findTakenOut([answer((row) => isWrong(row) || row < 10)], new Set());
  expect(some.filter(({ predicted, expected }) => predicted === expected)).toHaveLength(8);
});

it('keeps each row once, by the newest answer, and none that is measured again under another id [FIR-8]', () => {
  const older = answer(isWrong).map((each) => ({ ...each, confidence: 0.6 }));
  expect(findTakenOut([answer(isWrong), older], new Set()).map(({ confidence }) => confidence)).toEqual(
    Array.from({ length: 20 }, () => 0.8),
  );
  const again = new Set(Array.from({ length: 20 }, (_, i) => `${5 * i} yes`));
  expect(findTakenOut([answer(isWrong)], again)).toEqual([]);
});
