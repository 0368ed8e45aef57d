/** Counts of the sources that may not grow without a reason: casts, `Any`, repeated runs of lines. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import type { SourceText } from './message-voice.ts';

/** Lines that stand twice count as repeated from so many on. */
const repeatedLines = 8;

const maxFunctionLines = 80;
const maxFolderFiles = 16;

/** Reads the files below `root` that match, in the order of their paths. */
export function readSources(root: string, pattern: string | string[]): SourceText[] {
  const paths = globSync(pattern, { cwd: root }).filter((path) => !path.includes('node_modules'));
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Lines of a text file as `wc -l` counts them. */
export const countLines = (sources: readonly SourceText[]) =>
  sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);

/** The room of a file: its layer's folder it lies in, a place of the page, or the layer itself. */
export function toRoom(path: string): string {
  const [, features] = /^(src\/renderer\/features\/[^/]+)\//.exec(path) ?? [];
  const [, folder] = /^((?:src\/[^/]+|edge\/src\/decision_edge)(?:\/[^/]+(?=\/))?)\//.exec(path) ?? [];
  return features ?? folder ?? dirname(path);
}

/** Sums a number over the files of each group. */
export function sumBy(
  sources: readonly SourceText[],
  toGroup: (path: string) => string,
  count: (source: SourceText) => number,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const source of sources) {
    const group = toGroup(source.path);
    sums.set(group, (sums.get(group) ?? 0) + count(source));
  }
  return sums;
}

/** The layer of a file, as `src/engine`. */
export const toLayer = (path: string) => path.split('/').slice(0, 2).join('/');

/** Lines of a Python file that say `Any`, but for its import. */
export const countAny = ({ text }: SourceText) =>
  text.split('\n').filter((line) => /\bAny\b/.test(line) && !/^from typing\b/.test(line)).length;

function countNodes({ path, text }: SourceText, matches: (node: ts.Node, file: ts.SourceFile) => boolean): number {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const count = (node: ts.Node): number => {
    let sum = matches(node, file) ? 1 : 0;
    node.forEachChild((child) => {
      sum += count(child);
    });
    return sum;
  };
  return count(file);
}

const isCast = (node: ts.Node) => ts.isAsExpression(node) && node.type.getText() !== 'const';

/** Type assertions, `as const` left out: each says something that the compiler cannot check. */
export const countCasts = (source: SourceText) => countNodes(source, isCast);

/** `x[i] as number`: an index that the compiler cannot bound. */
export const countIndexCasts = (source: SourceText) =>
  countNodes(
    source,
    (node) =>
      ts.isAsExpression(node) &&
      node.type.kind === ts.SyntaxKind.NumberKeyword &&
      /\]$/.test(node.expression.getText()),
  );

/** Functions of more than `maxFunctionLines` lines, their comments left out. */
export const countLongFunctions = (source: SourceText) =>
  countNodes(source, (node, file) => {
    if (!ts.isFunctionLike(node)) return false;
    const [start, end] = [node.getStart(), node.end].map((at) => file.getLineAndCharacterOfPosition(at).line);
    return (end ?? 0) - (start ?? 0) + 1 > maxFunctionLines;
  });

/** Folders with more than `maxFolderFiles` files of sources, migrations left out. */
export const countLargeFolders = (sources: readonly SourceText[]) =>
  [...sumBy(sources, dirname, () => 1)].filter(
    ([folder, files]) => files > maxFolderFiles && basename(folder) !== 'migrations',
  ).length;

/** Circles of folders: groups in which each folder reaches each other by imports of its files. */
export function countFolderCircles(sources: readonly SourceText[]): number {
  const imports = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    const from = dirname(path);
    const known = imports.get(from) ?? new Set();
    for (const [, to = ''] of text.matchAll(/\bfrom '(\.[^']+)'/g)) known.add(dirname(join(from, to)));
    imports.set(from, known);
  }
  const reach = (start: string) => {
    const seen = new Set<string>();
    const open = [start];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const to of imports.get(folder) ?? []) {
        if (to === folder || seen.has(to)) continue;
        seen.add(to);
        open.push(to);
      }
    }
    return seen;
  };
  const reached = new Map([...imports.keys()].map((folder) => [folder, reach(folder)]));
  const circles = [...reached].map(([folder, others]) =>
    [...others]
      .filter((other) => other === folder || reached.get(other)?.has(folder))
      .sort()
      .join(' '),
  );
  return new Set(circles.filter((circle) => circle.includes(' '))).size;
}

/** The imports of TypeScript and Python, also over several lines. */
const importStatement = /^(?:import\b[^;]*?;|import \S+|from \S+ import (?:\([^)]*\)|.*))$/gm;

/**
 * Runs of eight lines or more that stand in an earlier place, too, to the letter, each counted once. Blank
 * lines, comments, imports, lines without a letter and white space around a line do not count.
 */
export function findRepeats(sources: readonly SourceText[]): string[] {
  const seen = new Map<string, string>();
  const repeats: string[] = [];
  for (const { path, text } of sources) {
    const blank = (found: string) => found.replace(/[^\n]/g, '');
    const lines = text
      .replace(importStatement, blank)
      .split('\n')
      .map((line, at) => ({ line: line.trim(), at: at + 1 }));
    const written = lines.filter(({ line }) => /[a-z]/i.test(line) && !/^(?:\/\/|\/?\*|#)/.test(line));
    let isRepeat = false;
    for (let start = 0; start + repeatedLines <= written.length; start += 1) {
      const run = written.slice(start, start + repeatedLines);
      const key = run.map(({ line }) => line).join('\n');
      const place = `${path}:${run[0]?.at}`;
      if (seen.has(key) && !isRepeat) repeats.push(`${place} as ${seen.get(key)}`);
      isRepeat = seen.has(key);
      seen.set(key, place);
    }
  }
  return repeats;
}
