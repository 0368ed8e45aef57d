/** The check that every statement of the interface has a test. */
import { describe, expect, it } from 'vitest';
import { findRequirementProblems, listLongOnly } from '../../scripts/requirements.ts';

describe('the statements of the interface', () => {
  it('fail the check where they are not cited, not known, or cited although waived', () => {
    const rows = { 'AAA-1': 'Cited.', 'AAA-2': 'Forgotten.', 'AAA-3': { statement: 'Done since.', waived: 'later' } };
    const cited = new Map([
      ['AAA-1', ['test/a.test.ts']],
      ['AAA-3', ['test/b.test.ts']],
      ['AAA-4', ['test/c.test.ts']],
    ]);
    expect(findRequirementProblems(rows, cited)).toEqual([
      'test/c.test.ts cites AAA-4, which is no row of test/requirements.ts',
      'no test cites AAA-2: Forgotten.',
      'AAA-3 is waived, but test/b.test.ts cites it: remove the waiver',
    ]);
  });

  it('are named where only long stories show them', () => {
    const cited = new Map([
      ['AAA-1', ['test/a.long.test.ts']],
      ['AAA-2', ['test/a.long.test.ts', 'test/b.test.ts']],
    ]);
    expect(listLongOnly(cited)).toEqual(['AAA-1']);
  });
});
