/**
 * What small calls notice of large ones: `/health` alone and beside ten large calls at once, and the longest wait while
 * 10,000 and 100,000 examples are added, each of which is one transaction, and while these are filtered by their fields.
 */

import { startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';
import { runBeside, send } from '../../faults/tools/beside-calls.ts';
import { percentile } from './load.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const met = (is: boolean) => (is ? 'met' : 'NOT MET');
const toBody = (value: unknown) => Buffer.from(JSON.stringify(value));
const maxHealthMs = 100;
const maxMemoryMb = 1_000;

const alternatives = Array.from({ length: 150 }, (_, index) => `word${index}`).join('|');
const rules = Array.from({ length: 200 }, (_, index) => ({
  name: `r${index}`,
  condition: `ctx.text.matches("${alternatives}${index}")`,
  then: 'yes',
}));
const columns = Array.from({ length: 1_999 }, (_, index) => `c${index}`).join(',');
const wide = `${columns}\n${`${Array(1_999).fill('1').join(',')}\n`.repeat(1_450)}`;

/** Prints the table of small calls beside large ones. */
export async function measureLargeCalls(): Promise<void> {
  const workbench = await startWorkbenchProcess();
  try {
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'large',
      options: ['yes', 'no'],
    });
    const examples = `/api/v1/decision-types/${made.body.id}/examples`;
    const caller = { port: Number(new URL(workbench.url).port), key: workbench.token };
    const health = () => send(caller, 'GET', '/health');
    const alone = await runBeside(new Promise((done) => setTimeout(done, 3_000)), health, workbench.pid);
    print('| beside | p99 of /health | longest | memory with children |');
    print('|---|---|---|---|');
    const report = (name: string, { smallCallMs, maxResidentMb }: Omit<typeof alone, 'value'>) => {
      const p99 = percentile(smallCallMs, 0.99);
      const longest = smallCallMs.at(-1) ?? Number.NaN;
      const memory = `${maxResidentMb.toFixed(0)} MB (≤ ${maxMemoryMb}: ${met(maxResidentMb <= maxMemoryMb)})`;
      const wait = `${p99.toFixed(1)} ms (≤ ${maxHealthMs}: ${met(p99 <= maxHealthMs)})`;
      print(`| ${name} | ${wait} | ${longest.toFixed(0)} ms | ${memory} |`);
    };
    report('nothing', alone);
    const tenTimes: Record<string, [path: string, body: Buffer]> = {
      'ten previews of 1,999 columns × 1,450': [`${examples}/import`, toBody({ format: 'csv', content: wide })],
      'ten bodies of 15 MB of empty objects': [examples, Buffer.from(`{"examples":[${'{},'.repeat(5e6)}{}]}`)],
      'ten checks of 200 heavy rules': ['/api/v1/rules/check', toBody({ rules, options: ['yes', 'no'] })],
    };
    for (const [name, [path, body]] of Object.entries(tenTimes)) {
      const ten = Promise.all(Array.from({ length: 10 }, () => send(caller, 'POST', path, body)));
      report(name, await runBeside(ten, health, workbench.pid));
    }
    const example = (n: number) => ({
      input: { n, message: `The cup arrived in pieces, number ${n}` },
      decision: 'yes',
    });
    const list = toBody({ examples: Array.from({ length: 10_000 }, (_, n) => example(n)) });
    const file = Array.from({ length: 100_000 }, (_, n) => `${n},"The cup arrived in pieces, number ${n}",yes\n`);
    const content = `n,message,decision\n${file.join('')}`;
    const adds: Record<string, [path: string, body: Buffer]> = {
      'adding 10,000 examples': [examples, list],
      'importing 100,000 examples': [`${examples}/import`, toBody({ format: 'csv', content, commit: true })],
    };
    for (const [name, [path, body]] of Object.entries(adds)) {
      const added = await runBeside(send(caller, 'POST', path, body), health, workbench.pid);
      if (added.value.status >= 300) throw new Error(`${name} answered ${added.value.status}`);
      report(`${name} (${(added.value.tookMs / 1_000).toFixed(1)} s)`, added);
    }
    const filters = Array.from({ length: 10 }, (_, n) => {
      const fields = [
        { field: 'n', min: n * 1_000 },
        { field: 'message', contains: 'number 9' },
      ];
      return send(caller, 'GET', `${examples}?fields=${encodeURIComponent(JSON.stringify(fields))}`);
    });
    const filtered = await runBeside(Promise.all(filters), health, workbench.pid);
    const eachMs = Math.max(...filtered.value.map(({ tookMs }) => tookMs)) / filters.length;
    report(`ten filters of two fields over 110,000 examples (${eachMs.toFixed(0)} ms each)`, filtered);
  } finally {
    await workbench.stop();
  }
}
