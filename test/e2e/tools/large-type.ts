/** A type as a department has it: twelve options, names with tails, marks and long words, and 20,000 rows. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { terminal } from '../../server/workbench.ts';
import type { RunningWorkbench } from './workbench-process.ts';

/** Names with tails, marks above capitals, and words as long as German has them. */
export const options = [
  'Kundenbetreuung Privatgeschäft',
  'Prüfung Großgewerbe',
  'E-mail and calendar',
  'Phones and mobile contracts',
  'Zahlungsverzögerung klären',
  'Zugang gesperrt',
  'bewilligt',
  'abgelehnt',
  'Rückfragen zur Bürgschaft',
  'Gehaltsnachweise nachreichen',
  'Zusammenarbeit und Projektsteuerung',
  'Äußerst gyps-ähnlich',
];
const rowCount = 20_000;
/** Enough to learn the options; a training reads no more. */
const labelledCount = 600;
const rowsPerCall = 5_000;
const decidedCount = 60;
const highest = 60_000;

const toInput = (row: number) => ({
  Eingang: `2024-0${1 + (row % 9)}-1${row % 10}`,
  Geburtsdatum: `19${50 + (row % 50)}-07-26`,
  Beschäftigungsart: ['selbständig', 'angestellt', 'arbeitslos', 'verrentet'][row % 4],
  Nettoeinkommen: 1_500 + ((row * 37) % 4_000),
  Kreditbetrag: (row * 1_009) % highest,
  'Zweitkonto?': row % 2 === 0,
  prior_tickets_in_the_last_ninety_days: row % 7,
  Begründung:
    row % 3 === 0 ? 'Überziehungskredit verlängern' : `Gepäckstück fehlt; möchte Rückzahlung ${row % labelledCount}`,
});
const conditions = [
  'ctx.Kreditbetrag > 58000',
  'ctx.Geburtsdatum < "1951-01-01"',
  'ctx.Nettoeinkommen <= 1600 && ctx["Beschäftigungsart"] == "selbständig"',
  'ctx.prior_tickets_in_the_last_ninety_days > 5',
];

/** Asks as a client does, and stops where the answer is a refusal. */
export async function ask<T>({ call }: RunningWorkbench, method: string, path: string, body?: object): Promise<T> {
  const answer = await call<T>(method, path, body);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Trains a type, which deploys its first policy, without the tuning afterwards, for whose end no picture can wait. */
export async function train(workbench: RunningWorkbench, path: string, further: object = {}): Promise<void> {
  const settings = { tune_hyperparams: false, tune_encoder: false, ...further };
  const { policy_id } = await ask<{ policy_id: string }>(workbench, 'POST', `${path}/train`, settings);
  const progress = `${path}/policies/${policy_id}/progress`;
  while (!terminal({ body: await ask(workbench, 'GET', progress) })) await wait(300);
}

/** Sends inputs to the service, so that the log has something to show. */
export async function decide(workbench: RunningWorkbench, name: string, inputs: readonly object[]): Promise<void> {
  for (const input of inputs) await ask(workbench, 'POST', '/api/v1/decide', { decision_type: name, input });
}

/** Adds rows that are made one by one, in calls of a size that a client would use. */
async function addRows(workbench: RunningWorkbench, path: string, toExample: (row: number) => object): Promise<void> {
  for (let from = 0; from < rowCount; from += rowsPerCall) {
    const examples = Array.from({ length: rowsPerCall }, (_, at) => toExample(from + at));
    await ask(workbench, 'POST', `${path}/examples`, { examples });
  }
}

/** Makes and trains a type of 20,000 complaints: 1,200 real ones, the others begin at another of their sentences. */
export async function makeComplaints(workbench: RunningWorkbench): Promise<string> {
  type Complaint = { input: { narrative: string }; decision: string };
  const lines = readFileSync(new URL('../../fixtures/complaint_routing/train.jsonl', import.meta.url), 'utf8');
  const real = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Complaint);
  const name = 'complaints';
  const options = [...new Set(real.map(({ decision }) => decision))];
  const { id } = await ask<{ id: string }>(workbench, 'POST', '/api/v1/decision-types', { name, options });
  const path = `/api/v1/decision-types/${id}`;
  await addRows(workbench, path, (row) => {
    const { input, decision } = real[row % real.length] as Complaint;
    const sentences = input.narrative.split('. ');
    const first = Math.floor(row / real.length) % sentences.length;
    const narrative = [...sentences.slice(first), ...sentences.slice(0, first)].join('. ');
    return { input: { ...input, narrative }, decision: row < real.length ? decision : null };
  });
  await train(workbench, path);
  await decide(
    workbench,
    name,
    real.slice(0, decidedCount).map(({ input }) => input),
  );
  return id;
}

/** Makes, trains and deploys the type, with a rule for each option and some decisions in its log; gives its id. */
export async function makeLargeType(workbench: RunningWorkbench): Promise<string> {
  const name = 'kreditantraege-eingang';
  const { id } = await ask<{ id: string }>(workbench, 'POST', '/api/v1/decision-types', { name, options });
  const path = `/api/v1/decision-types/${id}`;
  await addRows(workbench, path, (row) => {
    const input = toInput(row);
    const option = options[Math.floor((input.Kreditbetrag / highest) * options.length)];
    return { input, decision: row < labelledCount ? option : null };
  });
  await train(workbench, path);
  const hard_rules = options.map((then, place) => ({
    name: `${['Zu jung', 'Hoher Betrag', 'Selbständige prüfen', 'Geringes Einkommen'][place % 4]} ${place + 1}`,
    condition: conditions[place % 4],
    then,
    priority: place + 1,
  }));
  await ask(workbench, 'PUT', path, { hard_rules });
  const inputs = Array.from({ length: decidedCount }, (_, at) => toInput(rowCount + at));
  await decide(workbench, name, inputs);
  return id;
}
