/**
 * Makes Ajv write checks that spend a budget of steps, as calls of the check library. What it relies on in Ajv beside the
 * documented interface is pinned by test/engine/ajv-internals.test.ts.
 */
import { _, type Ajv2020, type AnySchema, type Code, type CodeGen, type KeywordCxt, Name } from 'ajv/dist/2020.js';
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import { callRef } from 'ajv/dist/vocabularies/core/ref.js';
import type { JsonObject } from '../domain.ts';
import { type Charge, chargeKeyword } from './charges.ts';
import { stepsPerProblem } from './step-budget.ts';

/** Steps of a call of what a reference leads to, more for a larger part. */
const stepsPerCall = 4;
const charactersOfCallPerStep = 16;

/** The variables of written code that hold the problems known so far. */
const errorCount = new Name('errors');
const errorList = new Name('vErrors');

/** Has the written code keep an expression of the check library, once, and returns its name. */
export function keepFromLibrary(gen: CodeGen, code: Code): Name {
  return gen.scopeValue('func', { key: code.toString(), ref: code, code });
}

/**
 * Makes Ajv spend the budget: at every part of a schema that has a charge, for every problem, in patterns, in the
 * comparison of items, and at references. What a reference leads to is asked once for each object or list of an input, because parts that refer
 * to the same part several times would otherwise multiply with each level of the input. A reference passes on at most
 * `maxProblems` problems.
 */
export function meter(ajv: Ajv2020, schema: JsonObject, maxProblems: number): void {
  // Ajv compares every item with every other one: a list of 100,000 would block the service for minutes.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    code: (cxt) => {
      if (cxt.schema) cxt.pass(_`${keepFromLibrary(cxt.gen, _`lib.areDistinct`)}(${cxt.data})`);
    },
    error: { message: 'must NOT have duplicate items' },
  });
  // What a dynamic reference leads to depends on the way to it, so that nothing may be remembered or settled.
  const isStatic = !JSON.stringify(schema).includes('"$dynamicRef"');
  const settling = isStatic ? maxProblems : null;
  const metered = new WeakSet<CodeGen>();
  ajv.addKeyword({
    keyword: chargeKeyword,
    before: '$ref',
    code: (cxt) => {
      if (!metered.has(cxt.gen)) chargeProblems(cxt.gen);
      metered.add(cxt.gen);
      writeCharge(cxt, settling);
    },
  });
  const reference = ajv.RULES.all['$ref'];
  if (typeof reference !== 'object' || !('code' in reference.definition)) throw new Error('Ajv has no keyword "$ref".');
  const { code } = reference.definition;
  const parts = new Map<SchemaEnv, number>();
  reference.definition.code = (cxt, ...rest) => {
    const target = findTarget(cxt);
    if (target === null) return code(cxt, ...rest);
    const part = parts.get(target) ?? parts.size;
    parts.set(target, part);
    const isAlternative = cxt.it.compositeRule === true;
    const most = isAlternative ? 1 : maxProblems;
    const options = _`{part: ${part}, isStatic: ${isStatic}, isAlternative: ${isAlternative}, maxProblems: ${most}}`;
    const call = keepFromLibrary(cxt.gen, _`lib.createCall(() => ${findCheck(cxt, target)}, ${options})`);
    const ofSize = Math.ceil(JSON.stringify(target.schema).length / charactersOfCallPerStep);
    cxt.gen.code(_`${keepFromLibrary(cxt.gen, _`lib.spend`)}(${stepsPerCall + ofSize})`);
    return callRef(appendProblems(cxt, call), call, target);
  };
}

/**
 * Writes the code that spends the charge of a part on a value, and that ends the check before the part where there are
 * `settling` problems already (null: never).
 */
function writeCharge({ gen, data, schema, it }: KeywordCxt, settling: number | null): void {
  const { steps, textReaders, keyReaders } = schema as Charge;
  const isAlternative = it.compositeRule === true;
  if (settling !== null && !isAlternative) {
    const settle = keepFromLibrary(gen, _`lib.settle`);
    gen.if(_`${errorCount} >= ${settling}`, () => gen.code(_`${settle}(${errorList})`));
  }
  const spending = keepFromLibrary(gen, _`lib.spend`);
  if (textReaders === 0 && keyReaders === 0) {
    gen.code(_`${spending}(${steps})`);
    return;
  }
  const measure = keepFromLibrary(gen, _`lib.createMeasure(${steps}, ${textReaders}, ${keyReaders})`);
  gen.code(_`${spending}(${measure}(${data}))`);
}

/**
 * Has the written code spend the cost of a problem wherever it makes one. Alternatives make problems too, which are
 * thrown away where another alternative fits, so that nothing else bounds their number.
 */
function chargeProblems(gen: CodeGen): void {
  const spending = keepFromLibrary(gen, _`lib.spend`);
  const write = gen.code.bind(gen);
  gen.code = (code) => {
    write(code);
    if (String(code) === `${errorCount}++`) write(_`${spending}(${stepsPerProblem})`);
    return gen;
  };
}

/** Finds what a reference calls; null where Ajv writes the part in its place, or finds nothing there. */
function findTarget({ schema, it }: KeywordCxt): SchemaEnv | null {
  const { baseId, schemaEnv, self } = it;
  const { root } = schemaEnv;
  if ((schema === '#' || schema === '#/') && baseId === root.baseId) return root;
  const target: AnySchema | SchemaEnv | undefined = resolveRef.call(self, root, baseId, schema);
  return target instanceof SchemaEnv ? target : null;
}

/** Has the problems of a call put behind those known so far; Ajv copies all of them for each reference that fails. */
function appendProblems(cxt: KeywordCxt, call: Name): KeywordCxt {
  const append = () => {
    const list = _`${errorList} === null ? (${errorList} = ${call}.errors) : ${errorList}.push(...${call}.errors)`;
    cxt.gen.code(list).assign(errorCount, _`${errorList}.length`);
  };
  const result: KeywordCxt['result'] = (condition, succeed) => cxt.result(condition, succeed, append);
  return Object.create(cxt, { result: { value: result } });
}

/** The check of what a reference calls, as written code names it: as Ajv's `getValidate`, and the part in itself. */
function findCheck({ gen, it }: KeywordCxt, target: SchemaEnv): Code {
  if (target === it.schemaEnv) return it.validateName;
  if (target.validate) return gen.scopeValue('validate', { ref: target.validate });
  return _`${gen.scopeValue('wrapper', { ref: target })}.validate`;
}
