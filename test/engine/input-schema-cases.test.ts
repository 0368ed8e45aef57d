/** The workbench and the Python package accept and refuse the same inputs; `edge/tests/test_schema.py` reads the same file. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/engine/domain.ts';
import { checkInputSchema, compileInputSchema } from '../../src/engine/schema/input-schema.ts';

type Case = { name: string; schema: JsonObject; accepted: JsonObject[]; refused: JsonObject[] };
const { cases, unfollowable } = JSON.parse(
  readFileSync(new URL('../cases/input-schema.json', import.meta.url), 'utf8'),
) as { cases: Case[]; unfollowable: { name: string; schema: JsonObject }[] };

describe('input schemas as every reader of a bundle enforces them', () => {
  it.each(cases)('$name', ({ schema, accepted, refused }) => {
    expect(checkInputSchema(schema)).toEqual([]);
    const validate = compileInputSchema(schema);
    const isAccepted = (input: JsonObject) => validate(input).length === 0;
    expect({ accepted: accepted.filter(isAccepted), refused: refused.filter((input) => !isAccepted(input)) }).toEqual({
      accepted,
      refused,
    });
  });

  it.each(unfollowable)('are refused where references cannot be followed: $name', ({ schema }) => {
    expect(checkInputSchema(schema)).toMatchObject([{ type: expect.stringMatching(/^schema_(loop|expansion)$/) }]);
  });
});
