/** A capability has a home and names what it retires: a large commit says in its message why it has none, and what. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toRoom } from './source-facts.ts';
import { weightPath } from './weigh.ts';

const root = join(import.meta.dirname, '../..');
const [maxRooms, maxNewLines, maxMoreLines] = [8, 250, 100];

/** Finds commits of `git log --numstat` that are large and do not say in a line of their message why. */
function findUnexplained(log: string): string[] {
  return log.split('\0').flatMap((commit) => {
    const [subject = '', ...lines] = commit.split('\n');
    const sources = lines.flatMap((line) => {
      const [, added, removed, path = ''] = /^(\d+)\t(\d+)\t((?:src|edge\/src)\/.*)$/.exec(line) ?? [];
      return path === '' ? [] : [{ added: Number(added), removed: Number(removed), path }];
    });
    const rooms = new Set(sources.map(({ path }) => toRoom(path))).size;
    const added = sources.reduce((sum, file) => sum + file.added, 0);
    const more = added - sources.reduce((sum, file) => sum + file.removed, 0);
    const says = (name: string) => lines.some((line) => line.startsWith(`${name}: `));
    return [
      ...(rooms > maxRooms && added > maxNewLines && !says('Rooms')
        ? [`${subject}: ${rooms} rooms, ${added} new lines, and no line "Rooms: …" of its message says why`]
        : []),
      ...(more > maxMoreLines && !says('Retires')
        ? [`${subject}: ${more} lines more, and no line "Retires: …" of its message says what went`]
        : []),
    ];
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
/** The commit that began to ask for these lines. */
const [asked] = git('log', '--reverse', '-S"Retires: …"', '--format=%H', '--', 'test/layers/commits.test.ts')
  .stdout.split('\n')
  .filter((commit) => commit !== '');

describe('A commit', () => {
  it.skipIf(!asked)('that touches many rooms or makes the sources longer says why, and what it retires', () => {
    const { stdout } = git('log', '--numstat', '--no-renames', '--format=%x00%h %s%n%b', `${asked}..HEAD`);
    expect(findUnexplained(stdout)).toEqual([]);
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
      `b Small\n\n${touch(9)}`,
      `c Explained\n\nRooms: a field of every record\nRetires: the second reader\n\n${touch(40)}`,
      'd Longer\n\n900\t0\tsrc/engine/decide/a.ts\n-\t-\tdocs/pictures/a.png',
      'e Moved\n\n900\t0\tsrc/engine/decide/a.ts\n1\t880\tsrc/engine/decide/b.ts',
    ];
    expect(findUnexplained(`\0${log.join('\n\0')}`)).toEqual([
      'a Large: 9 rooms, 360 new lines, and no line "Rooms: …" of its message says why',
      'a Large: 351 lines more, and no line "Retires: …" of its message says what went',
      'd Longer: 900 lines more, and no line "Retires: …" of its message says what went',
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
