/** How Ajv writes the values that its code refers to. */
import { _, type Ajv2020, type Code } from 'ajv/dist/2020.js';
import { _Code as Text } from 'ajv/dist/compile/codegen/code.js';

/** Has the values written so that their text says the same as they do, in time that grows with their number. */
export function repairScope(ajv: Ajv2020): void {
  quoteConstants(ajv);
  writeOneByOne(ajv);
}

/** Parts of the schema are written as quoted JSON: in a literal, `__proto__` would set a prototype. */
function quoteConstants({ scope }: Ajv2020): void {
  const { value } = scope;
  scope.value = (name, kept) => {
    const prefix = typeof name === 'string' ? name : name.prefix;
    if (prefix !== 'schema') return value.call(scope, name, kept);
    return value.call(scope, name, { ...kept, code: _`lib.parse(${JSON.stringify(kept.ref)})` });
  };
}

/** Ajv copies all that is written with each value: 2,600 patterns took 3 s. */
function writeOneByOne({ scope }: Ajv2020): void {
  const { scopeCode, scopeRefs } = scope;
  const writeEach = (values: Parameters<typeof scopeCode>[0] = {}, write: (one: typeof values) => Code) => {
    const texts = Object.entries(values).flatMap(([prefix, names]) =>
      [...(names?.values() ?? [])].map((name) => String(write({ [prefix]: new Set([name]) }))),
    );
    return new Text(texts.join(''));
  };
  scope.scopeCode = (values, used, getCode) => writeEach(values, (one) => scopeCode.call(scope, one, used, getCode));
  scope.scopeRefs = (name, values) => writeEach(values, (one) => scopeRefs.call(scope, name, one));
}
