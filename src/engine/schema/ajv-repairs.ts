/**
 * Keywords of Ajv 8 that fail, or err, on some schemas and inputs: each keeps Ajv's code where that is right.
 * test/engine/ajv-repairs.test.ts shows what each is for, and that it is still needed.
 */
import { _, type Ajv2020, type KeywordCxt, Name, type SchemaCxt } from 'ajv/dist/2020.js';
import type { Json } from '../domain.ts';
import { keepFromLibrary } from './metering.ts';

/** Writes the code of a keyword, with Ajv's own way of writing it at hand. */
type Repair = (cxt: KeywordCxt, write: (cxt: KeywordCxt) => void) => void;

/** Replaces the keywords in `ajv`. */
export function repairKeywords(ajv: Ajv2020): void {
  repair(ajv, 'unevaluatedProperties', null, (cxt, write) => {
    forgetInheritedNames(cxt);
    write(cxt);
  });
  repair(ajv, 'patternProperties', 'unevaluatedProperties', collectOwnNames);
  repair(ajv, 'const', null, (cxt, write) => {
    if (isCompound(cxt.schema)) writeComparison(cxt, [cxt.schema]);
    else write(cxt);
  });
  repair(ajv, 'enum', null, (cxt, write) => {
    const values: readonly Json[] = cxt.schema;
    if (values.some(isCompound)) writeComparison(cxt, values);
    else write(cxt);
  });
}

function repair(ajv: Ajv2020, keyword: string, before: string | null, write: Repair): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition !== 'object' || !('code' in definition)) throw new Error(`Ajv has no keyword "${keyword}".`);
  const { code } = definition;
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    ...definition,
    ...(before === null ? {} : { before }),
    code: (cxt, ruleType) => write(cxt, (same) => code(same, ruleType)),
  });
}

function isCompound(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/**
 * Compares with values of which some are lists or objects. Ajv asks methods of the values, which fails where an input
 * has a property that is called `valueOf`.
 */
function writeComparison(cxt: KeywordCxt, values: readonly Json[]): void {
  const isListed = keepFromLibrary(cxt.gen, _`lib.createComparison(${JSON.stringify(values)})`);
  cxt.pass(_`${isListed}(${cxt.data})`);
}

/**
 * Collects what the keyword evaluates by itself, and adds it to what is known so far. Ajv writes into what is known,
 * which is undefined or `true` where an alternative or a reference before has evaluated nothing, or everything.
 */
function collectOwnNames(cxt: KeywordCxt, write: (cxt: KeywordCxt) => void): void {
  const { it } = cxt;
  const known = it.props;
  if (!(known instanceof Name)) {
    write(cxt);
    return;
  }
  delete it.props;
  write(cxt);
  const { items: _items, ...own }: SchemaCxt = it;
  it.props = known;
  cxt.mergeEvaluated(own);
}

/** Has names looked up among those that are the object's own. */
function forgetInheritedNames({ gen, it }: KeywordCxt): void {
  const { props } = it;
  if (!(props instanceof Name)) return;
  const ownNames = keepFromLibrary(gen, _`lib.ownNames`);
  gen.if(_`${props} && ${props} !== true`, () => gen.assign(props, _`${ownNames}(${props})`));
}
