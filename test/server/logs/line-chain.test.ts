/** Files of decisions show a changed line: what the workbench exports, and what a service logs. */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chainLine, LineChain, type LineLink } from '../../../src/door/line-chain.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { runCommand } from '../../../src/server/command-line/run-command.ts';
import { openForTest, temporaryFolder } from '../workbench.ts';

const digest = (text: string) => hash('sha256', text);
/** 60 lines of three runs of a service, each of which says what it follows. */
function writeLines(after = ''): string[] {
  let link: LineLink = { chain: after, isSaid: true };
  return Array.from({ length: 60 }, (_, at) => {
    if (at % 20 === 0) link = { ...link, isSaid: true };
    const next = chainLine(JSON.stringify({ id: `line-${at}`, input: { text: `naïve ${at * 7}` } }), link, digest);
    link = next.link;
    return next.line;
  });
}
function findFault(lines: readonly string[], kept: string): string | null {
  const chain = new LineChain(digest);
  let isKept = false;
  for (const line of lines) {
    const fault = chain.add(line);
    if (fault !== null) return fault;
    isKept ||= chain.head === kept;
  }
  return isKept ? null : 'the digest that was kept is gone';
}

describe('Chained lines', () => {
  const whole = writeLines();
  const kept = /"chain":"([0-9a-f]{64})"/.exec(whole.at(-1) ?? '')?.[1] ?? '';
  it.each(['byte', 'line', 'order', 'copied', 'beginning', 'tail', 'rebuilt'] as const)(
    'are found in each of 60 changes: %s [LOG-10]',
    (kind) => {
      expect(findFault(whole, kept)).toBeNull();
      const random = createRandom(kind.length);
      const missed: number[] = [];
      for (let tries = 0; tries < 60; tries += 1) {
        const lines = [...whole];
        const at = Math.floor(random() * 59);
        const other = at + 1 + Math.floor(random() * (59 - at));
        const line = lines[at] ?? '';
        const place = Math.floor(random() * line.length);
        if (kind === 'byte')
          lines[at] = line.slice(0, place) + String.fromCharCode(line.charCodeAt(place) ^ 1) + line.slice(place + 1);
        if (kind === 'line') lines.splice(at, 1);
        if (kind === 'order') [lines[at], lines[other]] = [lines[other] ?? '', line];
        if (kind === 'copied') lines.splice(other, 0, line);
        // Where whole runs went, the files were turned over: only a run without its first line is missed.
        if (kind === 'beginning') lines.splice(0, at % 20 === 19 ? at : at + 1);
        if (kind === 'tail') lines.splice(other);
        if (kind === 'rebuilt')
          lines.splice(
            0,
            60,
            ...writeLines('')
              .map((each) => each.replace('naïve', 'naive'))
              .slice(0, at),
            ...writeLines('ab'.repeat(32)).slice(at),
          );
        if (findFault(lines, kept) === null) missed.push(tries);
      }
      expect(missed).toEqual([]);
    },
  );

  it('an export of the log is checked by command, against its head too [LOG-10]', async () => {
    const { call, deps } = await openForTest();
    const { id } = (
      await call('POST', '/api/v1/decision-types', { name: 'loan', options: ['yes', 'no'], fallback_option: 'no' })
    ).body;
    const path = `/api/v1/decision-types/${id}`;
    const made = await call('POST', `${path}/policies`, { kind: 'rules_only' });
    await call('POST', `${path}/policies/${made.body.id}/deploy`);
    for (let amount = 0; amount < 5; amount += 1)
      await call('POST', '/api/v1/decide', { decision_type: 'loan', input: { amount } });
    const { text } = await call('GET', `${path}/logs/export`);
    const records: { chain: string; after?: string; input: object }[] = JSON.parse(text);
    expect([records.length, records[0]?.after]).toEqual([5, deps.store.logs.readHead().digest]);
    const file = join(temporaryFolder(), 'loan-log.json');
    const verify = (content: string, ...flags: string[]) => {
      writeFileSync(file, content);
      return runCommand('verify', [file, ...flags], {});
    };
    const head = records.at(-1)?.chain ?? '';
    expect(await verify(text, '--head', head)).toBe(0);
    expect(await verify(text.replace('"amount":3', '"amount":4'))).toBe(1);
    const short = `${text.split(',\n').slice(0, 4).join(',\n')}\n]\n`;
    expect([await verify(short), await verify(short, '--head', head)]).toEqual([0, 1]);
    expect(await verify('a,b\n1,2\n')).toBe(2);
  });
});
