/** A type whose names and values strain a page: long without a blank, of other scripts, like markup, or empty. */
import { ask, decide, train } from './large-type.ts';
import type { RunningWorkbench } from './workbench-process.ts';

export const hostileOptions = [
  'Department for requests that take a while to name, with a copy to the people who have asked for one',
  'Kraftfahrzeughaftpflichtversicherung und Zahlungsverzögerung',
  '<img src=x onerror=alert(1)> "quoted" & escaped',
  'مراجعة الطلبات المتأخرة من قبل المشرف',
  'בדיקה ידנית של בקשות חריגות',
  '🧾 Receipts & 👩‍👩‍👧 family plans, 🇦🇹 only',
  'unbroken'.repeat(12),
  '__proto__ and constructor',
  'Jürgen Größchenpflugs gyps-ähnlich jagged type: query ÅÇÉ',
  '退款申请需要主管审核并且等待财务部门确认',
  'ส่งต่อให้หัวหน้าแผนกตรวจสอบ',
  'n'.repeat(180),
] as const;
const rowsPerOption = 50;
const grouped = 'region "of" <b>who</b> asks';

/** One input; the number alone decides. */
export const toHostileInput = (x: number, row = 0) => ({
  text: `<b>markup</b> ${'unbroken'.repeat(60)} \u202Etxet that turns, ${row}. ${'A long sentence to read. '.repeat(180)}`,
  ['fieldwithanameofeightyletterswithoutablank'.padEnd(80, 'x')]: 'v'.repeat(300),
  שדה: 'ערך',
  [grouped]: hostileOptions[row % 3],
  nothing: null,
  empty: '',
  amount: 12_345_678.9,
  x,
});

/** Makes, trains and uses the type, with groups, costs and a draft of its rules; gives its id. */
export async function makeHostileType(workbench: RunningWorkbench): Promise<string> {
  const name = `<b>strained</b> ${'n'.repeat(60)}`;
  const rule = { condition: 'ctx.x > 11.9', then: hostileOptions[11] };
  const { id } = await ask<{ id: string }>(workbench, 'POST', '/api/v1/decision-types', {
    name,
    description: `**Read** all of it. ${'unbroken'.repeat(20)}`,
    options: hostileOptions,
    reason_codes: ['r'.repeat(60), 'سبب'],
    hard_rules: [{ ...rule, name: 'r'.repeat(80), reason_code: 'r'.repeat(60) }],
    groups: { fields: [grouped], favoured: hostileOptions[0], min_ratio: 0, max_error: null },
  });
  const path = `/api/v1/decision-types/${id}`;
  const examples = hostileOptions.flatMap((decision, at) =>
    Array.from({ length: rowsPerOption }, (_, row) => ({
      input: toHostileInput(at + row / 32, at * rowsPerOption + row),
      decision: row % 5 === 4 ? null : decision,
    })),
  );
  await ask(workbench, 'POST', `${path}/examples`, { examples });
  await train(workbench, path, { text_model: 'words' });
  const inputs = Array.from({ length: 60 }, (_, row) => toHostileInput(row / 5, row));
  await decide(workbench, name, inputs);
  const drafted = { condition: `ctx.x > 10 && ctx["${grouped.replaceAll('"', '\\"')}"] != "${hostileOptions[6]}"` };
  const names = ['Spätgemeldetgrößenübertragungsprüfung'.repeat(3), '<i>two</i> أقل من عشرة'];
  const hard_rules = [
    { ...rule, name: 'r'.repeat(80), reason_code: 'r'.repeat(60), priority: 1 },
    ...names.map((name, at) => ({ ...drafted, name, then: hostileOptions[at], priority: at + 2 })),
  ];
  await ask(workbench, 'PUT', path, { hard_rules, draft: true });
  return id;
}
