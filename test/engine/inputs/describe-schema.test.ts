/** JSON Schemas in words, as the documents and the documentation page show them. */
import { expect, it } from 'vitest';
import { describeType, listConstraints, type SchemaMarkup } from '../../../src/engine/schema/describe-schema.ts';

const markup: SchemaMarkup = {
  code: (value) => `\`${JSON.stringify(value)}\``,
  text: (text) => text.toUpperCase(),
  link: (name) => `→ ${name}`,
};

it.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'string', format: 'uuid' }, 'string (UUID)'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{}, 'any'],
  [{ enum: ['a', 1] }, '`"a"`, `1`'],
  [{ const: true }, '`true`'],
  [{ type: 'array' }, 'list of any'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Rule' } }, 'list of → Rule'],
  [{ type: 'object' }, 'object'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'object of number'],
  [{ type: 'object', properties: { a: {}, b: {} } }, 'object (A, B)'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] }, 'string or null'],
])('describes the type of %j', (schema, words) => {
  expect(describeType(schema, markup)).toBe(words);
});

it('lists the default and the bounds that matter', () => {
  expect(listConstraints({ default: [], minItems: 0, maxItems: 5, uniqueItems: true }, markup)).toEqual([
    'default `[]`',
    'at most 5',
    'distinct',
  ]);
  expect(listConstraints({ minLength: 1, maxLength: 9 }, markup)).toEqual(['not empty', 'at most 9 characters']);
  const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  expect(listConstraints(safe, markup)).toEqual([]);
  expect(listConstraints({ minimum: 0, maximum: 1 }, markup)).toEqual(['from 0', 'to 1']);
});
