/**
 * What src/engine/schema/metering.ts relies on in Ajv beside its documented interface. Where a version of Ajv changes
 * it, the test of that part fails with the sentence that names it; the bound on what a check costs then has to be
 * written for the new version before it is taken.
 */
import { _, type AnySchemaObject, Ajv2020 as Draft2020, type KeywordCxt, Name } from 'ajv/dist/2020.js';
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import { callRef } from 'ajv/dist/vocabularies/core/ref.js';
import { describe, expect, it, vi } from 'vitest';

const createAjv = () => new Draft2020({ allErrors: true, strict: false, validateSchema: false });
const changed = (what: string) => `Ajv has changed: ${what}. The step budget relies on it (metering.ts).`;

/** The definition of `$ref` whose code the step budget replaces. */
function findReference(ajv: Draft2020): { code: (cxt: KeywordCxt) => void } {
  const rule = ajv.RULES.all['$ref'];
  if (typeof rule !== 'object' || !('code' in rule.definition)) {
    throw new Error(changed('`RULES.all.$ref.definition.code` is not the code of references any more'));
  }
  return rule.definition;
}

/** Compiles with a keyword `probe` whose code is written before that of `$ref`, and which calls `see` at each value. */
function compileWithProbe(schema: AnySchemaObject, write: (cxt: KeywordCxt) => void) {
  const ajv = createAjv();
  ajv.addKeyword({ keyword: 'probe', before: '$ref', code: write });
  return ajv.compile(schema);
}

/** Two levels deep, so that Ajv calls the part instead of writing it in the place of the reference. */
const list = {
  $defs: { list: { properties: { next: { $ref: '#/$defs/list' }, n: { type: 'number' }, m: { type: 'number' } } } },
};

describe('of Ajv', () => {
  it('the code of a keyword stands before that of $ref and of every other keyword of its part [TYP-32]', () => {
    const seen: string[] = [];
    const validate = compileWithProbe(
      { ...list, probe: 'part', type: 'object', $ref: '#/$defs/list', properties: { a: { enum: [1] } } },
      ({ gen, schema }) => {
        const see = gen.scopeValue('func', { ref: (errors: number) => seen.push(`${schema} ${errors}`) });
        gen.code(_`${see}(${new Name('errors')})`);
      },
    );
    expect(validate({ n: 'x', a: 2 })).toBe(false);
    expect(validate.errors?.length).toBe(2);
    expect(seen, changed('a keyword that is added before `$ref` no longer comes first in its part')).toEqual([
      'part 0',
    ]);
  });

  it('the problems found so far are in the variables errors and vErrors of the generated code [TYP-32]', () => {
    const seen: unknown[] = [];
    const validate = compileWithProbe({ allOf: [{ required: ['a', 'b'] }, { probe: true }] }, ({ gen }) => {
      const see = gen.scopeValue('func', { ref: (count: number, all: unknown[]) => seen.push([count, all.length]) });
      gen.code(_`${see}(${new Name('errors')}, ${new Name('vErrors')})`);
    });
    validate({});
    expect(seen, changed('`errors` and `vErrors` no longer hold the problems of a check')).toEqual([[2, 2]]);
  });

  it('every problem is counted where it is made, by the same piece of code [TYP-32]', () => {
    const made = vi.fn();
    const validate = compileWithProbe({ probe: true, contains: { oneOf: [false, false] } }, ({ gen }) => {
      const see = gen.scopeValue('func', { ref: made });
      const write = gen.code.bind(gen);
      gen.code = (code) => {
        write(code);
        return String(code) === 'errors++' ? write(_`${see}()`) : gen;
      };
    });
    validate([1, 2]);
    // Of each item: two parts that refuse it, and "oneOf"; then "contains".
    expect(made, changed('`errors++` is not written where a problem is made')).toHaveBeenCalledTimes(7);
  });

  it('a part that is only an alternative is marked as one where its code is written [TYP-32]', () => {
    const marks: Record<string, boolean> = {};
    const part = (name: string) => ({ probe: name });
    compileWithProbe(
      {
        anyOf: [part('anyOf')],
        oneOf: [part('oneOf')],
        not: part('not'),
        if: part('if'),
        then: { type: 'object' },
        contains: part('contains'),
        allOf: [part('allOf')],
        properties: { a: part('properties') },
      },
      ({ schema, it: context }) => {
        marks[schema] = context.compositeRule === true;
      },
    );
    expect(marks, changed('`it.compositeRule` no longer says what is an alternative')).toEqual({
      anyOf: true,
      oneOf: true,
      not: true,
      if: true,
      contains: true,
      allOf: false,
      properties: false,
    });
  });

  it('resolveRef gives what a reference calls, with its schema and later its compiled check [TYP-32]', () => {
    const ajv = createAjv();
    const found: unknown[] = [];
    const definition = findReference(ajv);
    const { code } = definition;
    definition.code = (cxt) => {
      const { baseId, schemaEnv, self } = cxt.it;
      found.push(resolveRef.call(self, schemaEnv.root, baseId, cxt.schema));
      code(cxt);
    };
    ajv.compile({ ...list, $ref: '#/$defs/list' });
    const [target] = found;
    expect(target, changed('`resolveRef` no longer gives a `SchemaEnv`')).toBeInstanceOf(SchemaEnv);
    const { schema, validate } = target as SchemaEnv;
    expect(schema, changed('`SchemaEnv.schema` is not the part that is referred to')).toEqual(list.$defs.list);
    expect(validate, changed('`SchemaEnv.validate` is not the compiled check of the part')).toBeTypeOf('function');
  });

  it('the code of a reference takes the answer, the problems and what is evaluated from the called function [TYP-32]', () => {
    const ajv = createAjv();
    const definition = findReference(ajv);
    const answers = { isValid: true };
    const called: unknown[][] = [];
    const call = Object.assign(
      (...args: unknown[]) => {
        called.push(args);
        return answers.isValid;
      },
      { errors: null as unknown[] | null, evaluated: { props: { a: true }, dynamicProps: true } },
    );
    definition.code = (cxt) => {
      callRef(cxt, cxt.gen.scopeValue('validate', { ref: call }));
    };
    const validate = ajv.compile({ $defs: { any: {} }, $ref: '#/$defs/any', unevaluatedProperties: false });

    const fits = [{ a: 1 }, { b: 1 }].map((value) => validate(value));
    expect(fits, changed('`callRef` no longer takes `evaluated` from the function that it calls')).toEqual([
      true,
      false,
    ]);
    expect(called[0]?.[0], changed('`callRef` no longer calls the function with the value')).toEqual({ a: 1 });
    answers.isValid = false;
    call.errors = ['first', 'second'];
    validate({});
    expect(validate.errors, changed('`callRef` no longer takes `errors` from the function that it calls')).toEqual([
      'first',
      'second',
    ]);
  });

  it('a compiled check tells what it evaluated as names, where that depends on the value [TYP-32]', () => {
    const validate = createAjv().compile({
      anyOf: [{ properties: { a: { type: 'number' } }, required: ['a'] }, { required: ['b'] }],
    });
    const props = [{ a: 1 }, { b: 1 }].map((value) => validate(value) && { ...Object(validate.evaluated?.props) });
    expect(props, changed('`validate.evaluated.props` no longer holds the evaluated names')).toEqual([{ a: true }, {}]);
  });

  it('compiled patterns are kept by their text, and made by the given function [TYP-32]', () => {
    const made: string[] = [];
    const regExp = Object.assign(
      (pattern: string) => {
        made.push(pattern);
        return { test: (text: string) => text.includes(pattern), toString: () => `/${pattern}/u` };
      },
      { code: 'probe' },
    );
    const ajv = new Draft2020({ strict: false, validateSchema: false, code: { regExp } });
    const validate = ajv.compile({ properties: { a: { pattern: 'x' }, b: { pattern: 'y' }, c: { pattern: 'x' } } });
    const answers = [{ a: 'x', b: 'y', c: 'x' }, { a: 'y' }, { b: 'x' }].map((value) => validate(value));
    expect(answers, changed('patterns are no longer tested by `code.regExp`')).toEqual([true, false, false]);
    expect(new Set(made), changed('patterns are no longer compiled by `code.regExp`')).toEqual(new Set(['x', 'y']));
  });
});
