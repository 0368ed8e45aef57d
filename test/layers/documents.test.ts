/** The documents are true of the program: its commands, its files; and records and changelog stay short. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCutSentences, findDocumentProblems, listCommands } from './document-commands.ts';
import { translatedWords } from './message-voice.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md', 'edge/*.md', 'test/bench/**/*.md'], { cwd: root }).sort();

/** A decision record says what, why and what would change it in two or three lines. */
const maxRecordCharacters = 520;

describe('The documents', () => {
  it('print commands that the programs take; those of README and docs/engineers.md run in the long stories', () => {
    expect(documents.length).toBeGreaterThan(30);
    expect(listCommands(read('docs/running.md')).filter((line) => /--data-dir/.test(line)).length).toBeGreaterThan(10);
    expect(documents.flatMap((path) => findDocumentProblems(read(path)).map((each) => `${path}: ${each}`))).toEqual([]);
  });

  it('are guarded: a script, command, flag or file that is none is found', () => {
    const page = [
      '```sh',
      'npm run -s workbench -- serve --data-dir ./data --prot 8737 &   # a comment with --wrong',
      'npm ci && npm run tests',
      "workbench train data.csv --label 'result x' \\",
      '  --fail-over 0.9 > out.jsonl',
      'decision-edge serve refunds.zip --prot 80; workbench import data.csv --label result',
      '```',
      'As in `workbench exprot policy.zip` and `node test/bench/none.ts`, not `npm run docs`.',
    ];
    expect(findDocumentProblems(page.join('\n')).map((problem) => problem.split(': ').slice(1).join(': '))).toEqual([
      expect.stringContaining("Unknown option '--prot'"),
      'package.json has no script tests',
      expect.stringContaining("Unknown option '--fail-over'"),
      'decision-edge has no flag --prot',
      expect.stringContaining('Unknown command: exprot'),
      'test/bench/none.ts does not exist',
    ]);
  });

  it('link to files that exist', () => {
    const broken = documents.flatMap((path) =>
      [
        ...read(path)
          .replaceAll(/`[^`]*`/g, '')
          .matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g),
      ]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('are written as a native speaker writes', () => {
    const prose = documents.filter((path) => !/^(?:CHANGELOG|test)/.test(path));
    const found = prose.flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, at) =>
          translatedWords.map(([word, instead]) => ({ word, instead, line, place: `${path}:${at + 1}` })),
        ),
    );
    const broken = found.filter(({ word, line }) => word.test(line));
    expect(broken.map(({ place, instead }) => `${place}: write: ${instead}`)).toEqual([]);
  });

  it('have no cut sentences', () => {
    const cut = documents.flatMap((path) => findCutSentences(read(path)).map((line) => `${path}: ${line}`));
    expect(cut).toEqual([]);
    const page = 'Both end with\n\nand `N passed`. runs alone.\n\n```sh\nnpm test\n```\n- any of these\n';
    expect(findCutSentences(page)).toEqual(['Both end with', 'and `N passed`. runs alone.']);
  });

  it('name sources that exist', () => {
    const sources = globSync(['{src,edge,scripts,test,bin}/**', '*.*'], { cwd: root }).map((path) => `/${path}`);
    const text = read('docs/architecture.md') + read('docs/flows.md');
    const named = [...text.matchAll(/`([\w./-]+\.(?:tsx?|py|json|wat|js|sql))`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !name.includes('NNN'));
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((name) => !sources.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
  });

  it('keep the architecture on a few screens, and every name of the glossary in the program', () => {
    expect(Buffer.byteLength(read('docs/architecture.md'))).toBeLessThanOrEqual(12_000);
    const source = globSync('{src,edge/src}/**/*.{ts,tsx,py}', { cwd: root }).map(read).join('\n');
    const rows = read('docs/words.md')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const terms = rows.map((row) => row.split(' | ')[0]?.slice(2) ?? '');
    expect(terms.filter((term, at) => terms.indexOf(term) !== at)).toEqual([]);
    const named = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !source.includes(name))).toEqual([]);
  });

  it('keep the decision records short, and say no change twice', () => {
    const records = documents
      .filter((path) => path.startsWith('docs/decisions/'))
      .flatMap((path) => read(path).split('\n'));
    expect(records.filter((line) => line.length > maxRecordCharacters)).toEqual([]);
    const bullets = read('CHANGELOG.md')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    const openings = bullets.map((line) => line.slice(0, 50));
    expect(openings.filter((line, at) => openings.indexOf(line) !== at)).toEqual([]);
  });
});
