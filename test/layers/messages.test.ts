/** The one voice of messages, comments and names: whole plain sentences, in the words that the glossary fixes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCommentProblems, findPythonProblems, findVoiceProblems, type VoiceProblem } from './message-voice.ts';

const root = join(import.meta.dirname, '../..');

function readSources(pattern: string) {
  const paths = globSync(pattern, { cwd: root }).sort();
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const toLines = (problems: readonly VoiceProblem[]) =>
  problems.map(({ place, text, problem }) => `${place}: ${problem}: ${text}`);

describe('The texts of the source', () => {
  it('are written in one voice, and the check has really read them', () => {
    const sources = readSources('src/**/*.{ts,tsx}');
    expect(sources.length).toBeGreaterThan(200);
    expect(toLines(findVoiceProblems(sources))).toEqual([]);
  });

  it('are commented and named in it, too, in TypeScript and Python', () => {
    const python = readSources('edge/src/**/*.py').filter(({ text }) => text.trim() !== '');
    expect(python.length).toBeGreaterThan(20);
    expect(toLines(findCommentProblems(readSources('{src,scripts}/**/*.{ts,tsx}')))).toEqual([]);
    expect(toLines(findPythonProblems(python))).toEqual([]);
  });

  it('are guarded in comments and names: every planted breach is found, and nothing else', () => {
    const text = [
      "import { read } from './read.ts';",
      'const isStrangeRow = read();',
      '/** What a search needs. */',
      'export type Search = { rows: number };',
      '/** What a call is not. */',
      'export const find = () => 1;',
      '/** Has the texts of a batch embedded together. */',
      'export function embed() {}',
      '/** Reads a row. Whoever reads it waits. */',
      `// Sums ${'up and '.repeat(20)}up.`,
      'export const sum = 1; // biome-ignore lint: fine',
      'export const count = () => 2;',
      '/** Draws the rows of now anew. */',
      'export function draw() {}',
      '/** Of a row the label, null where it is none. There is none, too. */',
      'export type Label = string;',
      '/** Says of a row that it is long. */',
      'export type Long = string;',
    ].join('\n');
    const bare = { path: 'b.ts', text: "import { read } from './read.ts';\nexport const row = read();" };
    const places = findCommentProblems([{ path: 'a.ts', text }, bare]).map(
      ({ place, problem }) => `${place}: ${problem}`,
    );
    expect(places).toEqual([
      'a.ts:2: write: unfamiliar',
      'a.ts:3: a comment begins with a noun or a verb',
      'a.ts:5: a comment begins with a noun or a verb',
      'a.ts:7: write what is done, not what somebody has done',
      'a.ts:9: name who it is',
      'a.ts:10: a comment has at most 120 columns',
      'a.ts:13: write: current',
      'a.ts:13: write: again',
      'a.ts:15: begin with the thing, not with “Of”',
      'a.ts:15: write: is not one',
      'a.ts:15: write: as well',
      'a.ts:17: write: notes, warns',
      'a.ts:12: an exported function says what it promises',
      'b.ts:1: a file opens with a sentence',
    ]);
    const module = 'import os\n\ndef find():\n    """What is told."""\n    strange_rows = 1\n';
    expect(
      findPythonProblems([{ path: 'a.py', text: module }]).map(({ place, problem }) => `${place}: ${problem}`),
    ).toEqual([
      'a.py:4: a comment begins with a noun or a verb',
      'a.py:4: write: reported, stated',
      'a.py:5: write: unfamiliar',
      'a.py:1: a file opens with a sentence',
    ]);
  });

  it('are guarded: every planted breach is found, and nothing else', () => {
    const classes = {
      path: 'errors.ts',
      text: 'class WorkbenchError extends Error { constructor(code: string, message: string) { super(message); } }',
    };
    const planted = {
      path: 'planted.ts',
      text: `
        const refuse = (message: string) => new WorkbenchError('conflict', message);
        new WorkbenchError('conflict', 'The name is taken.');
        new WorkbenchError('conflict', name + ' is taken.');
        new WorkbenchError('conflict', \`The name is \${name}\`);
        new WorkbenchError('conflict', 'The name is taken');
        new WorkbenchError('conflict', 'the name is taken.');
        new WorkbenchError('conflict', known ? 'It is known.' : 'unknown.');
        refuse('The training goes on');
        const details = [{ msg: 'must be one of the options' }, { msg: 'must be one.' }, { msg: 'The rule fails.' }];
        const sentence = \`The training gave no sign of life for \${seconds} s.\`;
        const key = row['wished'];`,
    };
    const found = findVoiceProblems([classes, planted]).map(({ place, problem }) => `${place}: ${problem}`);
    expect(found).toEqual([
      'planted.ts:6: a message ends with a full stop',
      'planted.ts:7: a message starts with a capital letter',
      'planted.ts:8: a message starts with a capital letter',
      'planted.ts:9: a message ends with a full stop',
      'planted.ts:10: a msg is a fragment without full stop',
      'planted.ts:11: write: heartbeat',
    ]);
  });
});
