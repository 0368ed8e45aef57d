/** The bounds and tables that the Python package shares with the engine, written as its module `_tables.py`. */
import { maxEntries, maxUnpackedBytes } from '../src/engine/bundle/zip.ts';
import { limits } from '../src/engine/limits.ts';
import { ruleFunctions } from '../src/engine/rules/functions.ts';
import { binaryOperators, macros, limits as ruleLimits } from '../src/engine/rules/tree.ts';

export const edgeTablesPath = 'edge/src/decision_edge/_tables.py';

const lineWidth = 120;

/** Returns the text of `_tables.py`, formatted as ruff does it. */
export function renderEdgeTables(): string {
  const numbers = {
    MAX_BUNDLE_ENTRIES: maxEntries,
    MAX_UNPACKED_BYTES: maxUnpackedBytes,
    MAX_OPTIONS: limits.maxOptions,
    MAX_RULES: limits.maxRules,
    MAX_TREE_DEPTH: ruleLimits.depth,
    MAX_TREE_NODES: ruleLimits.nodes,
    MAX_COMPREHENSION_DEPTH: ruleLimits.comprehensionDepth,
    MAX_COMPREHENSION_ELEMENTS: ruleLimits.comprehensionElements,
    MAX_STEPS: ruleLimits.steps,
    MAX_STRING_LENGTH: ruleLimits.textLength,
    MAX_LIST_LENGTH: ruleLimits.listLength,
  };
  const arities = [...ruleFunctions.values()].map(({ name, arity }) => `    "${name}": (${arity.join(', ')}),`);
  return `${[
    '"""Bounds and tables of the workbench that this package keeps, too. Made by `npm run docs`: do not edit."""',
    '',
    'from __future__ import annotations',
    '',
    ...Object.entries(numbers).map(([name, value]) => `${name} = ${writeInteger(value)}`),
    '',
    `OPERATORS = ${writeStrings(binaryOperators)}`,
    `MACROS = ${writeStrings(macros)}`,
    'ARITIES = {',
    ...arities,
    '}',
    '"""Fewest and most arguments of each function, the receiver counted."""',
  ].join('\n')}\n`;
}

function writeInteger(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '_');
}

function writeStrings(values: readonly string[]): string {
  const tuple = `(${values.map((value) => JSON.stringify(value)).join(', ')})`;
  if (tuple.length > lineWidth) throw new RangeError('The tuple does not fit on one line; write it over several.');
  return tuple;
}
