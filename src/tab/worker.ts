/** The worker of the tab: holds the table and the project, and answers the page; ended, it leaves nothing behind. */
import { z } from 'zod';
import { InvalidInput, type Predictor } from '../edge/api.ts';
import { loadBundle } from '../edge/browser.ts';
import { WorkbenchError } from '../engine/errors.ts';
import { fillPage } from '../engine/report/fill-page.ts';
import type { HeldOutLine, OpenLine, Order, Report, SavedAs, TrainedResult } from './messages.ts';
import { isArchive, type Project, readProject, writeProject } from './project.ts';
import { describeTable, planProject, readTable, type Table } from './read-table.ts';
import { countLabelled, sortAtRandom, takeFirstRows, trainProject } from './train-table.ts';

// It would otherwise try to compile its checks, which the policy of the page refuses.
z.config({ jitless: true });

/** The version of the program, put in by the build. */
declare const TOOL_VERSION: string;
/** The worker itself, whose types a project of pages does not have. */
declare const self: { postMessage(report: Report): void; onmessage: ((event: { data: Order }) => void) | null };

const maxShownRows = 2_000;
let table: Table | null = null;
let project: Project | null = null;
let predictor: Predictor | null = null;

const report = (message: Report) => self.postMessage(message);

self.onmessage = ({ data }) => {
  answer(data).catch((error: unknown) => report({ kind: 'failed', message: toMessage(error) }));
};

function toMessage(error: unknown): string {
  if (error instanceof WorkbenchError || error instanceof InvalidInput) return error.message;
  throw error;
}

async function answer(order: Order): Promise<void> {
  switch (order.kind) {
    case 'open':
      return open(order.name, order.bytes);
    case 'train':
      if (table === null) return;
      project = planProject(table, order.answer, newId, Date.now());
      return order.begin ? beginWith(project) : trainNow(project);
    case 'label':
      if (project === null) return;
      for (const { row, decision } of order.labels) {
        const example = project.examples[row];
        if (example) Object.assign(example, { decision, later: true });
      }
      return trainNow(project);
    case 'decide':
      if (predictor !== null) report({ kind: 'decided', decided: await predictor.decide(order.input) });
      return;
    case 'save':
      return save(order.as, order.page);
  }
}

async function open(name: string, bytes: Uint8Array): Promise<void> {
  if (!isArchive(name)) {
    table = await readTable(name, bytes);
    report({ kind: 'opened', table: describeTable(table) });
    return;
  }
  project = readProject(bytes);
  if (project.policy === null) await trainNow(project);
  else await show(project, null);
}

/** Learns some rows, which takes seconds; all of them where there are few, or the few cannot be learned. */
async function beginWith(whole: Project): Promise<void> {
  const first = takeFirstRows(whole);
  if (first === null) return trainNow(whole);
  try {
    await trainNow(first, countLabelled(whole));
    project = first;
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    await trainNow(whole);
  }
}

async function trainNow(trained: Project, ofRows: number | null = null): Promise<void> {
  const from = performance.now();
  trained.policy = await trainProject(
    trained,
    { policyId: newId(), atMs: Date.now(), toolVersion: TOOL_VERSION },
    ({ fraction, message }) => report({ kind: 'progress', fraction, message }),
  );
  await show(trained, (performance.now() - from) / 1_000, ofRows);
}

async function show(
  { name, definition, examples, policy }: Project,
  seconds: number | null,
  ofRows: number | null = null,
): Promise<void> {
  if (policy === null) return;
  predictor = await loadBundle(policy.bundle);
  const { metrics } = policy;
  const inputs = new Map(examples.map(({ id, input }) => [id, input]));
  const heldOut = policy.heldOut.flatMap(({ example_id, expected, predicted, probabilities }): HeldOutLine[] => {
    const input = inputs.get(example_id);
    if (input === undefined) return [];
    return [{ expected, predicted, probability: Math.max(...probabilities), input }];
  });
  const result: TrainedResult = {
    name,
    options: definition.options,
    learned: metrics.train_size,
    ofRows,
    seconds,
    whole: metrics.whole,
    confusion: { confusion_labels: metrics.confusion_labels, confusion_matrix: metrics.confusion_matrix },
    notes: metrics.notes,
    heldOut,
    open: listOpen(examples),
    fields: predictor.info.fields,
  };
  report({ kind: 'trained', result });
}

/** Lists rows without a label in the order of their permanent numbers, so that figures stand for all. */
function listOpen(examples: Project['examples']): OpenLine[] {
  const open = examples.flatMap(({ input, decision }, row) => (decision === null ? [{ row, input }] : []));
  return sortAtRandom(open).slice(0, maxShownRows);
}

function save(as: SavedAs, page: string): void {
  if (project?.policy == null) return;
  const { name, definition, policy } = project;
  const file = name.replaceAll(/[\\/:*?"<>|]/g, '-');
  if (as === 'bundle') {
    report({ kind: 'saved', name: `${file}.bundle.zip`, type: 'application/zip', bytes: policy.bundle });
  } else if (as === 'project') {
    const bytes = writeProject(project, TOOL_VERSION);
    report({ kind: 'saved', name: `${file}.project.zip`, type: 'application/zip', bytes });
  } else {
    const html = fillPage(page, { name, bundle: policy.bundle, hasSchema: definition.input_schema !== null });
    report({ kind: 'saved', name: `${file}.html`, type: 'text/html', bytes: new TextEncoder().encode(html) });
  }
}

/** A UUID of version 7 (RFC 9562), so that rows keep their age where a workbench imports them. */
function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = crypto.getRandomValues(new Uint8Array(10));
  const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = (8 + ((random[1] ?? 0) & 3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(8, 20)}`;
}
