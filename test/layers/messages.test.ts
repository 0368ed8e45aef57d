/** The one voice of messages: whole plain sentences, in the words that the glossary fixes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findVoiceProblems } from './message-voice.ts';

const root = join(import.meta.dirname, '../..');

describe('The texts of the source', () => {
  it('are written in one voice, and the check has really read them', () => {
    const paths = globSync('src/**/*.{ts,tsx}', { cwd: root }).sort();
    const sources = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
    expect(paths.length).toBeGreaterThan(200);
    const problems = findVoiceProblems(sources);
    expect(problems.map(({ place, text, problem }) => `${place}: ${problem}: ${text}`)).toEqual([]);
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
