/** A capability has a home: a commit that is large and touches many rooms says why its capability has none. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toRoom } from './source-facts.ts';
import { weightPath } from './weigh.ts';

const root = join(import.meta.dirname, '../..');
const reasons = 'docs/decisions/source.md';
const [maxRooms, maxNewLines] = [8, 250];

/** Finds commits of `git log --numstat` that touch too many rooms with too many new lines, and give no reason. */
function findScattered(log: string): string[] {
  return log.split('\0').flatMap((commit) => {
    const [subject = '', ...lines] = commit.split('\n');
    const files = lines.flatMap((line) => {
      const [added, , path = ''] = line.split('\t');
      return path === '' ? [] : [{ added: Number(added) || 0, path }];
    });
    const sources = files.filter(({ path }) => /^(?:src|edge\/src)\//.test(path));
    const rooms = new Set(sources.map(({ path }) => toRoom(path))).size;
    const newLines = sources.reduce((sum, { added }) => sum + added, 0);
    const isAlright = rooms <= maxRooms || newLines <= maxNewLines || files.some(({ path }) => path === reasons);
    return isAlright ? [] : [`${subject}: ${rooms} rooms, ${newLines} new lines, and no line in ${reasons}`];
  });
}

const count = /^([-+])\| (?!lines of )(.+?) \| ([\d,]+) \|/;

/** Finds commits of `git log -p` of the kept counts that raise one of them and lower none. */
function findRaised(log: string): string[] {
  return log.split('\0').flatMap((commit) => {
    const [subject = '', ...lines] = commit.split('\n');
    const changes = new Map<string, { before: number; after: number }>();
    for (const line of lines) {
      const [, sign, name = '', number = ''] = count.exec(line) ?? [];
      if (sign === undefined) continue;
      const change = changes.get(name) ?? { before: 0, after: 0 };
      change[sign === '-' ? 'before' : 'after'] = Number(number.replaceAll(',', ''));
      changes.set(name, change);
    }
    const signs = [...changes.values()].map(({ before, after }) => Math.sign(after - before));
    return signs.includes(1) && !signs.includes(-1)
      ? [`${subject}: raises a count of ${weightPath} and lowers none`]
      : [];
  });
}

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
const [first] =
  git('log', '--diff-filter=A', '--format=%H', '--', 'test/layers/commits.test.ts').stdout?.split('\n') ?? [];

describe('A commit', () => {
  it.skipIf(!first)('that touches many rooms with many new lines says why its capability has no home', () => {
    const { stdout } = git('log', '--numstat', '--no-renames', '--format=%x00%h %s', `${first}..HEAD`);
    expect(findScattered(stdout)).toEqual([]);
  });

  it.skipIf(!first)('that raises a count of the sources lowers another', () => {
    const { stdout } = git('log', '-p', '-U0', '--format=%x00%h %s', `${first}..HEAD`, '--', weightPath);
    expect(findRaised(stdout)).toEqual([]);
  });

  it('is found where it has no reason', () => {
    const rooms = ['bundle', 'decide', 'domain', 'export', 'import', 'measure', 'onnx', 'report', 'training'];
    const touch = (added: number) => rooms.map((room) => `${added}\t1\tsrc/engine/${room}/a.ts`).join('\n');
    const log = [
      `a Large\n\n${touch(40)}`,
      `b Small\n\n${touch(20)}`,
      `c Explained\n\n${touch(40)}\n1\t0\t${reasons}`,
      'd At home\n\n900\t0\tsrc/engine/decide/a.ts\n-\t-\tdocs/pictures/a.png',
    ];
    expect(findScattered(`\0${log.join('\n\0')}`)).toEqual([
      `a Large: 9 rooms, 360 new lines, and no line in ${reasons}`,
    ]);
    const [lines, casts, any] = ['lines of `src`', '`src/engine`', '`_inputs.py`'];
    const change = (name: string, before: number, after: number) =>
      `-| ${name} | ${before} | |\n+| ${name} | ${after} | |`;
    const counts = [
      `a Raised\n\n${change(casts, 73, 74)}`,
      `b Exchanged\n\n${change(casts, 73, 74)}\n${change(any, 14, 13)}`,
      `c Longer\n\n${change(lines, 100, 200)}`,
    ];
    expect(findRaised(`\0${counts.join('\n\0')}`)).toEqual([
      `a Raised: raises a count of ${weightPath} and lowers none`,
    ]);
  });
});
