import { readFileSync, writeFileSync } from 'node:fs';
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { describe, expect, it } from 'vitest';
import { compileTree, startRun } from '../../../src/engine/rules/evaluation/evaluate.ts';
import { RuleError } from '../../../src/engine/rules/evaluation/values.ts';
import { parseCondition } from '../../../src/engine/rules/parsing/parse.ts';
import type { RuleNode } from '../../../src/engine/rules/tree.ts';

/**
 * The conformance data of CEL. What the rules language leaves out on purpose is listed with its reason;
 * the rest must hold here and, through test/cases/rules-conformance.json, in Python. `UPDATE_CASES=1` rewrites that file.
 */
const byDesign: [RegExp, string][] = [
  [
    /^comparisons\/.*double_nan$|fp_math\/divide_zero$|fp_math\/fp_overflow/,
    'no NaN and no infinity: division by zero and overflow are errors',
  ],
  [
    /int64_math\/(int64_(overflow|min_negate)|uint64_overflow)|int\/uint_max_exact$|conversions\/type\/n?eq_diff$/,
    'every number is a double',
  ],
  [
    /(eq_map_value_mixed_types|not_eq_map_value_null|not_ne_map_int_to_float|fields\/map_key_(int64|bool)|exists\/map_key_type_\w+|map_value_(null|bool|float|int64)|in\/singleton|in\/mixed_numbers_and_keys_\w+|eq_map_mixed_type_numbers|key_in_mixed_key_type_map|map_key_uint64|map_key_mixed_\w+|map_value_(uint64|list)|size\/map|exists_one\/map_one|map_literal|conversions\/type\/map_\w+)$/,
    'keys of maps are texts, as in JSON',
  ],
  [/dyn_timestamp_null$/, 'null is no timestamp'],
  [/^timestamps\/.*nanos/, 'timestamps and durations are kept to the millisecond'],
  [/^timestamps\/timestamp_range\/sub_time_duration/, 'the longest duration is 10,000 years'],
  [
    /^timestamps\/timestamp_selectors_tz\/(getDate|getDayOfMonth_name_\w+|getDayOfYear|getMinutes)$/,
    'time zones are fixed offsets',
  ],
];

const refusals: [RegExp, string][] = [
  [/Byte strings|Unexpected ["'] here/, 'no byte texts'],
  [/Unexpected \{ here/, 'no messages'],
  [/Unknown (function|name)/, 'a function or name that is not part of the language'],
  [/NUL/, 'NUL and half surrogate pairs are refused'],
  [/deeper than|too deeply/, 'past the limits'],
  [
    /takes a name and an expression|first argument must be a name|takes \d/,
    'a form of a macro or function that is not part of the language',
  ],
  [/Unexpected \? here|Optional access/, 'no optional access'],
  [/Unexpected (`|\.) here/, 'no quoted fields and no leading dot'],
  [/cannot be seen/, 'form feeds are no white space'],
  [/pattern of matches|has takes one field/, 'patterns are literals'],
];

type Case = { name: string; expression: string; expected: unknown; error: boolean; ast: RuleNode };

function collect() {
  const cases: Case[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const unexplained: string[] = [];
  const walk = (suite: IncrementalTestSuite, path: string) => {
    for (const { original, name: own } of suite.tests) {
      const name = `${path}/${own}`;
      const leave = (reason: string) => leftOut.push({ name, reason });
      const wanted = original.resultMatcher;
      const error = wanted.case === 'evalError';
      if (Object.keys(original.bindings).length > 0 || original.typeEnv.length > 0 || original.container !== '')
        leave('other variables than ctx');
      else if (
        original.disableMacros ||
        original.checkOnly ||
        (wanted.case !== 'value' && wanted.case !== undefined && !error)
      )
        leave('a test of the type checker');
      else {
        // Every value of ours is of CEL's type dyn.
        const expression = original.expr.replace(/\bdyn\(/g, '(');
        const { ast, problems } = parseCondition(expression);
        const deviation = byDesign.find(([pattern]) => pattern.test(name))?.[1];
        if (deviation) leave(deviation);
        else if (!ast) {
          const message = problems[0]?.message ?? '';
          const reason = error
            ? 'an error, found before it runs'
            : refusals.find(([pattern]) => pattern.test(message))?.[1];
          if (reason) leave(reason);
          else unexplained.push(`${name}: ${message}`);
        } else {
          const expected = error ? null : wanted.case === 'value' ? plain(wanted.value) : true;
          if (expected === undefined) leave('a value that is not part of the language');
          else cases.push({ name, expression, expected, error, ast });
        }
      }
    }
    for (const inner of suite.suites) walk(inner, path === '' ? inner.name : `${path}/${inner.name}`);
  };
  walk(getConformanceSuite(), '');
  return { cases, leftOut, unexplained };
}

type Wire = { kind: { case?: string | undefined; value?: unknown } };

/** The expected value as JSON; undefined where JSON has none. */
function plain(value: unknown): unknown {
  const { kind } = value as Wire;
  if (kind.case === 'int64Value' || kind.case === 'uint64Value' || kind.case === 'doubleValue')
    return Number(kind.value) + 0;
  if (kind.case === 'stringValue' || kind.case === 'boolValue') return kind.value;
  if (kind.case === 'nullValue') return null;
  if (kind.case === 'listValue') return (kind.value as { values: unknown[] }).values.map(plain);
  if (kind.case === 'mapValue') {
    const { entries } = kind.value as { entries: { key: unknown; value: unknown }[] };
    return Object.fromEntries(entries.map((entry) => [plain(entry.key), plain(entry.value)]));
  }
  return undefined;
}

const { cases, leftOut, unexplained } = collect();
const file = new URL('../../cases/rules-conformance.json', import.meta.url);
const reasons: Record<string, string[]> = {};
for (const { name, reason } of leftOut) reasons[reason] = [...(reasons[reason] ?? []), name];
if (process.env.UPDATE_CASES) {
  const lines = cases.map((one) => `    ${JSON.stringify(one)}`);
  writeFileSync(
    file,
    `{\n  "left_out": ${JSON.stringify(reasons, null, 2).replace(/\n/g, '\n  ')},\n  "cases": [\n${lines.join(',\n')}\n  ]\n}\n`,
  );
}

describe(`CEL conformance: ${cases.length} cases, ${leftOut.length} left out with a reason`, () => {
  it('gives the value or the error that CEL gives [RUL-10]', () => {
    for (const one of cases) {
      const outcome = compileTree(one.ast)(startRun({}));
      if (one.error) expect(outcome, one.name).toBeInstanceOf(RuleError);
      else expect(JSON.parse(JSON.stringify(outcome)), `${one.name}: ${one.expression}`).toEqual(one.expected);
    }
  });

  it('leaves nothing out without a reason', () => {
    expect(unexplained).toEqual([]);
  });

  it('the file that Python reads is up to date', () => {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify({ left_out: reasons, cases })));
  });
});
