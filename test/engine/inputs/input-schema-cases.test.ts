/**
 * The workbench and the Python package accept and refuse the same inputs; `edge/tests/test_schema.py` reads the same
 * files. `stored`: schemas that are refused where they are saved (`why`), and decide on where they were saved before.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { checkInputSchema, compileInputSchema } from '../../../src/engine/schema/input-schema.ts';

type Case = { name: string; schema: JsonObject; accepted: JsonObject[]; refused: JsonObject[] };
const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { cases, stored, endless } = read('../../cases/input-schema.json') as {
  cases: Case[];
  stored: Case[];
  endless: Pick<Case, 'name' | 'schema'>[];
};
const folder = new URL('../../fixtures/schemas/', import.meta.url);
const published = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name): Case => ({ ...read(new URL(name, folder).href), name }));
const knip: Case = {
  name: 'of knip',
  schema: read('../../../node_modules/knip/schema.json'),
  accepted: [{ entry: ['src/index.ts'], rules: { files: 'warn' }, vitest: { config: 'vitest.config.ts' } }],
  refused: [{ entry: 1 }, { rules: { files: 'maybe' } }, { nonsense: true }],
};

function expectVerdicts({ schema, accepted, refused }: Case): void {
  const validate = compileInputSchema(schema);
  const isAccepted = (input: JsonObject) => validate(input).length === 0;
  expect({ accepted: accepted.filter(isAccepted), refused: refused.filter((input) => !isAccepted(input)) }).toEqual({
    accepted,
    refused,
  });
}

describe('input schemas as every reader of a bundle enforces them', () => {
  it.each(cases)('$name', (one) => {
    expect(checkInputSchema(one.schema)).toEqual([]);
    expectVerdicts(one);
  });

  it.each([...published, knip])('published by real programs: $name [TYP-18]', (one) => {
    expect(checkInputSchema(one.schema)).toEqual([]);
    expectVerdicts(one);
  });

  it.each(stored)('are refused where they are saved, and decide on where they are stored: $name [TYP-32]', (one) => {
    expect(checkInputSchema(one.schema)).toMatchObject([{ loc: expect.arrayContaining(['body', 'input_schema']) }]);
    expectVerdicts(one);
  });

  it.each(endless)('are refused where they never end: $name [TYP-32]', ({ schema }) => {
    expect(checkInputSchema(schema)).toMatchObject([{ type: 'schema_loop' }]);
  });
});
