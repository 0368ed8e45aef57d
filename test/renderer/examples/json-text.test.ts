import { describe, expect, it } from 'vitest';
import { readJsonText } from '../../../src/renderer/parts/text/json-text.ts';

describe('JSON that a person types', () => {
  it('is an object, or nothing', () => {
    expect(readJsonText('{"amount": 3}', 'input')).toEqual({ value: { amount: 3 } });
    expect(readJsonText(' \n ', 'input')).toEqual({ value: null });
  });

  it.each(['[]', 'null', '3', '"text"'])('is refused by its name where it is no object: %s', (text) => {
    expect(readJsonText(text, 'input schema')).toEqual({ problem: 'The input schema must be a JSON object.' });
  });

  it('is not JSON yet where it ends too early', () => {
    expect(readJsonText('{"amount": ', 'input')).toEqual({
      problem: expect.stringMatching(/^The input is not JSON yet: .*end of/),
    });
  });
});
