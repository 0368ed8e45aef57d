/** Random input schemas, with all that refers to itself and to others, and inputs that may fit them. */
import fc from 'fast-check';
import type { JsonObject } from '../../../src/engine/json.ts';

// Not `constructor`: Ajv takes it for a name that `unevaluatedProperties` has seen.
const names = fc.constantFrom('a', 'b', 'c', 'd');
const scalar = fc.constantFrom<JsonObject[string]>(null, true, 0, 1, 2.5, '', 'a', 'aab', '2024-01-31');
const references = fc.constantFrom('#', '#/$defs/x', '#/$defs/y', '#x', '#/properties/a');

/** Keywords of one part; `part` makes the parts inside. */
function arbitraryKeywords(part: fc.Arbitrary<unknown>) {
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(names, part, { maxKeys: 3 });
  return {
    type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', ['object', 'null'], ['array', 'string']),
    enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }),
    const: scalar,
    required: fc.uniqueArray(names, { maxLength: 2 }),
    minLength: fc.nat(3),
    pattern: fc.constantFrom('a', '^b+$', '(a|b)*c'),
    format: fc.constantFrom('date', 'email', 'uri'),
    minimum: fc.nat(3),
    maxItems: fc.nat(4),
    uniqueItems: fc.boolean(),
    minProperties: fc.nat(2),
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('a', '[bc]', '^c'), part, { maxKeys: 2 }),
    additionalProperties: part,
    propertyNames: part,
    items: part,
    prefixItems: parts,
    contains: part,
    allOf: parts,
    anyOf: parts,
    oneOf: parts,
    not: part,
    if: part,
    then: part,
    else: part,
    dependentSchemas: map,
    dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
    unevaluatedProperties: part,
    unevaluatedItems: part,
    $ref: references,
  };
}

/** `schema` makes input schemas. */
export const { schema } = fc.letrec<{ part: unknown; schema: unknown }>((tie) => {
  const keywords = arbitraryKeywords(tie('part'));
  const own = fc
    .uniqueArray(fc.constantFrom(...(Object.keys(keywords) as (keyof typeof keywords)[])), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword]]))));
  return {
    part: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.boolean(), own, own),
    schema: fc.tuple(own, own, own).map(([root, x, y]) => ({ ...root, $defs: { x: { ...x, $anchor: 'x' }, y } })),
  };
});

/** `input` makes inputs. */
export const { input } = fc.letrec<{ value: unknown; input: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
  input: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
}));
