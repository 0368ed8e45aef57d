/** The version, bounds and tables that the Python package shares with the workbench, written as `_tables.py`. */
import { fastFormats } from 'ajv-formats/dist/formats.js';
import { bundleLimits, maxEntryBytes, newestReader } from '../../src/engine/bundle/manifest.ts';
import { maxEntries } from '../../src/engine/bundle/zip.ts';
import {
  blockElements,
  hiddenElements,
  inlineElements,
  telltaleElements,
} from '../../src/engine/features/readable-text.ts';
import { limits } from '../../src/engine/limits.ts';
import { datePatterns, maxDateLength, usualLastYear } from '../../src/engine/readings/dates.ts';
import { maxNumberDigits, maxNumberLength, numberPatterns } from '../../src/engine/readings/numbers.ts';
import { maxWordLength, missingMarks, missingWords, yesNoPairs } from '../../src/engine/readings/readings.ts';
import { ruleFunctions } from '../../src/engine/rules/functions.ts';
import { ruleLimits } from '../../src/engine/rules/rule-limits.ts';
import { macros } from '../../src/engine/rules/tree.ts';
import { plainFormats, timeFormats } from '../../src/engine/schema/input-schema.ts';
import { knownCharacterRuns } from '../../src/engine/text/known-characters.ts';
import { loneRanges, maxWordCodePoints } from '../../src/engine/text/words.ts';
import { toolVersion } from '../../src/server/process/program-folder.ts';
import { projectRoot } from '../freshness.ts';

export const edgeTablesPath = 'edge/src/decision_edge/_tables.py';

const lineWidth = 120;

const numbers = {
  MAX_BUNDLE_ENTRIES: maxEntries,
  MAX_UNPACKED_BYTES: bundleLimits.maxPlainBytes + bundleLimits.maxEncoderBytes,
  MAX_PLAIN_BYTES: bundleLimits.maxPlainBytes,
  MAX_JSON_SEPARATORS: bundleLimits.maxJsonSeparators,
  MAX_JSON_DEPTH: bundleLimits.maxJsonDepth,
  MAX_GOLDEN_LINES: bundleLimits.maxGoldenLines,
  MAX_CONDITION_LENGTH: limits.maxConditionBytes,
  MAX_INPUT_KEYS: limits.maxInputKeys,
  MAX_INPUT_DEPTH: limits.maxInputDepth,
  MAX_NAME_LENGTH: limits.maxNameLength,
  MAX_TEXT_CHARACTERS: limits.maxTextCharacters,
  MAX_MARKUP_CHARACTERS: limits.maxMarkupCharacters,
  MAX_RULES: limits.maxRules,
  MAX_ADAPTER_RANK: limits.maxAdapterRank,
  MAX_TREE_DEPTH: ruleLimits.maxDepth,
  MAX_TREE_NODES: ruleLimits.maxNodes,
  MAX_COMPREHENSION_DEPTH: ruleLimits.maxComprehensionDepth,
  MAX_COMPREHENSION_ELEMENTS: ruleLimits.maxComprehensionMembers,
  MAX_STEPS: ruleLimits.maxSteps,
  MAX_STEPS_TOGETHER: ruleLimits.maxStepsTogether,
  MAX_STRING_LENGTH: ruleLimits.maxStringLength,
  MAX_LIST_LENGTH: ruleLimits.maxListLength,
  MAX_NUMBER_DIGITS: maxNumberDigits,
  MAX_NUMBER_LENGTH: maxNumberLength,
  MAX_DATE_LENGTH: maxDateLength,
  MAX_WORD_LENGTH: maxWordLength,
  USUAL_LAST_YEAR: usualLastYear,
  MAX_WORD_CODE_POINTS: maxWordCodePoints,
};

/** Returns the text of `_tables.py`. */
export function renderEdgeTables(): string {
  const arities = [...ruleFunctions.values()].map(({ name, arity }) => `"${name}": (${arity.join(', ')})`);
  return `${[
    '"""Version, bounds and tables that this package shares with the workbench. Made by `npm run docs`: do not edit."""',
    '',
    'from __future__ import annotations',
    '',
    `VERSION = ${JSON.stringify(toolVersion(projectRoot))}`,
    `NEWEST_READER = ${JSON.stringify(newestReader)}`,
    '',
    ...Object.entries(numbers).map(([name, value]) => `${name} = ${writeInteger(value)}`),
    '',
    `MACROS = ${writeStrings(macros)}`,
    `HTML_BLOCKS = ${writeStrings(blockElements)}`,
    `HTML_INLINE = ${writeStrings(inlineElements)}`,
    `HTML_HIDDEN = ${writeStrings(hiddenElements)}`,
    `HTML_TELLTALES = ${writeStrings(telltaleElements)}`,
    `ARITIES = {\n${fillLines(arities)}\n}`,
    '"""Fewest and most arguments of each function, the receiver counted."""',
    '',
    'MAX_ENTRY_BYTES = {',
    ...Object.entries(maxEntryBytes).map(([name, bytes]) => `    "${name}": ${writeInteger(bytes)},`),
    '}',
    '"""Every name that a bundle may hold, with the bytes that it may have unpacked."""',
    '',
    ...writeTextTables(),
  ].join('\n')}\n`;
}

/** Formats, characters, words and patterns: how texts are read. */
function writeTextTables(): string[] {
  const { months, ...others } = datePatterns;
  return [
    'FORMATS = {',
    ...listFormats().map(({ name, source, flags }) => `    ${JSON.stringify(name)}: (${source}, ${flags}),`),
    '}',
    '"""Formats of an input schema: what the whole string must match, and whether the case of letters is ignored."""',
    '',
    `TIME_FORMATS = (${Object.keys(timeFormats)
      .map((name) => JSON.stringify(name))
      .join(', ')})`,
    '"""Those with a time of day: their groups are hour, minute, second, and sign, hours and minutes of the offset."""',
    '',
    `LONE_RANGES = (\n${fillLines(loneRanges.map(([first, last]) => `(0x${first.toString(16)}, 0x${last.toString(16)})`))}\n)`,
    '"""Code points that stand for a word each."""',
    '',
    'KNOWN_CHARACTER_RUNS = (',
    ...(knownCharacterRuns.match(/.{1,110}(?: |$)/g) ?? []).map((line) => `    ${JSON.stringify(line)}`),
    ')',
    '"""Characters that every runtime knows, and the gaps between them: lengths in turn, in base 36."""',
    '',
    ...writePatterns('NUMBER_PATTERNS', numberPatterns),
    '"""How numbers are written by people; their parts are the groups."""',
    '',
    ...writePatterns('DATE_PATTERNS', others),
    '"""How dates and times are written; texts are folded first."""',
    '',
    'MONTHS = (',
    ...months.map((month) => `    ${writeRawString(toPythonPattern(month))},`),
    ')',
    `MISSING_MARKS = ${writeStrings(missingMarks)}`,
    `MISSING_WORDS = ${writeStrings(missingWords)}`,
    `YES_WORDS = ${writeStrings([...new Set(yesNoPairs.map(([yes]) => yes))])}`,
    `NO_WORDS = ${writeStrings([...new Set(yesNoPairs.map(([, no]) => no))])}`,
    `BLANKS = "${listBlanks()}"`,
    '"""The characters that JavaScript trims from the ends of a string."""',
  ];
}

const writePatterns = (name: string, patterns: Readonly<Record<string, RegExp>>): string[] => [
  `${name} = {`,
  ...Object.entries(patterns).map(([key, pattern]) => `    "${key}": ${writeRawString(toPythonPattern(pattern))},`),
  '}',
];

/** The formats that the schema validator checks by a regular expression, in Python's syntax. */
function listFormats(): { name: string; source: string; flags: string }[] {
  return Object.entries({ ...fastFormats, ...plainFormats, ...timeFormats }).flatMap(([name, format]) => {
    const pattern = typeof format === 'object' && 'validate' in format ? format.validate : format;
    if (!(pattern instanceof RegExp)) return [];
    return [{ name, source: writeRawString(toPythonPattern(pattern)), flags: pattern.ignoreCase ? 'True' : 'False' }];
  });
}

/** The characters that JavaScript's `\s` matches, for use inside a class. */
const blanks = '\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/** The same, one by one, for the ends of a string. */
const listBlanks = () =>
  blanks.replace('\\u2000-\\u200a', [...'0123456789a'].map((digit) => `\\u200${digit}`).join(''));

/** Writes the parts of JavaScript's syntax that Python reads in another way; all these patterns begin with `^`. */
function toPythonPattern(pattern: RegExp): string {
  let isInClass = false;
  return pattern.source.replace(/\\u\{([0-9a-f]+)\}|\\.|[[\]$]/gsu, (token, code: string | undefined) => {
    if (code !== undefined) return `\\u${code.padStart(4, '0')}`;
    if (token === '[' || token === ']') isInClass = token === '[';
    if (token === '\\/') return '/';
    if (token === '\\s') return isInClass ? blanks : `[${blanks}]`;
    if (token === '\\S') return `[^${blanks}]`;
    return token === '$' && !isInClass ? '\\Z' : token;
  });
}

function writeRawString(value: string): string {
  return value.includes('"') ? `r"""${value}"""` : `r"${value}"`;
}

function writeInteger(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '_');
}

function writeStrings(values: readonly string[]): string {
  const written = values.map((value) => JSON.stringify(value));
  const tuple = `(${written.join(', ')})`;
  return tuple.length < lineWidth - 20 ? tuple : `(\n${fillLines(written)}\n)`;
}

/** Members of a list, as many on a line as it takes. */
function fillLines(members: readonly string[]): string {
  const lines: string[] = [];
  for (const member of members) {
    const line = `${lines.at(-1) ?? '   '} ${member},`;
    if (lines.length > 0 && line.length <= lineWidth) lines[lines.length - 1] = line;
    else lines.push(`    ${member},`);
  }
  return lines.join('\n');
}
