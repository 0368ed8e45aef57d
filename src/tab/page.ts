/** The workbench in a tab: a table is dropped, its answer said, and a policy trained, tried and kept. */
import { gunzipSync, strFromU8 } from 'fflate';
import { show as showDecision } from '../edge/page/decision.ts';
import { find, make, saveFile, say } from '../edge/page/elements.ts';
import { fillForm, UnreadableField } from '../edge/page/input-form.ts';
import { RowLabels } from '../edge/page/row-labels.ts';
import { formatCount } from '../engine/numeric.ts';
import type { GivenLabel, OpenedTable, OpenLine, Order, Report, TrainedResult } from './messages.ts';
import { showResult } from './result.ts';

const section = (id: string) => find(id, HTMLElement);
const problem = section('problem');
let worker = startWorker(receive);
/** Learns all rows while the number of some of them is looked at. */
let successor: Worker | null = null;
let labels: RowLabels | null = null;
/** The last file that was opened, to begin again with after a stop. */
let opened: Extract<Order, { kind: 'open' }> | null = null;
/** The column that was said to be the answer. */
let answer = '';

function startWorker(take: (report: Report) => void): Worker {
  const source = find('worker', HTMLScriptElement).text;
  const started = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  started.onmessage = ({ data }: MessageEvent<Report>) => take(data);
  started.onerror = ({ message }) => take({ kind: 'failed', message: `The tab has failed: ${message}` });
  return started;
}

const tell = (order: Order) => worker.postMessage(order);

function receive(report: Report): void {
  switch (report.kind) {
    case 'opened':
      ask(report.table);
      break;
    case 'progress':
      showWork(`${successor === null ? '' : 'All rows: '}${report.message || 'Training…'}`, report.fraction);
      break;
    case 'trained':
      showTrained(report.result);
      if (report.result.ofRows !== null) learnAll();
      break;
    case 'decided':
      section('answer').replaceChildren(...showDecision(report.decided));
      break;
    case 'saved':
      saveFile(report.name, new Blob([new Uint8Array(report.bytes)], { type: report.type }));
      break;
    case 'failed':
      section('work').hidden = true;
      problem.textContent = report.message;
  }
}

function showWork(message: string, fraction: number | null): void {
  section('work').hidden = false;
  section('work-state').textContent = message;
  const bar = find('work-bar', HTMLProgressElement);
  if (fraction === null) bar.removeAttribute('value');
  else bar.value = fraction;
}

async function open(file: File): Promise<void> {
  if (
    labels !== null &&
    labels.count > 0 &&
    !confirm('Labels that no training has learned would be lost. Open another file?')
  )
    return;
  stop();
  opened = { kind: 'open', name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  section('question').hidden = true;
  showWork(`Reading ${file.name}…`, null);
  tell(opened);
}

/** Ends what is under way; the worker that takes over knows nothing yet. */
function stop(): void {
  worker.terminate();
  successor?.terminate();
  successor = null;
  worker = startWorker(receive);
  for (const id of ['work', 'result']) section(id).hidden = true;
  problem.textContent = '';
  labels = null;
}

function ask({ certain, candidates, sentences }: OpenedTable): void {
  section('work').hidden = true;
  section('question').hidden = false;
  section('file-facts').textContent = `${sentences.join('. ')}.`;
  const choices = candidates.map(({ column, why, values }) => {
    const choose = make(
      'button',
      { type: 'button', className: column === certain ? '' : 'plain' },
      make('bdi', {}, column),
    );
    choose.addEventListener('click', () => {
      showWork('Training…', null);
      answer = column;
      tell({ kind: 'train', answer, begin: true });
    });
    const shown = values.map(([value, rows]) => `${value} ${formatCount(rows)}`).join(', ');
    return make(
      'p',
      { className: 'candidate' },
      choose,
      make('span', { className: 'hint' }, [why, shown].filter(Boolean).join('; ')),
    );
  });
  section('candidates').replaceChildren(
    ...(choices.length > 0 ? choices : [say('No column has few different values, as an answer has.', 'bad')]),
  );
  section('candidates').querySelector('button')?.focus();
}

/** Trains again with all rows, in a worker that then takes the place of the one at hand. */
function learnAll(): void {
  const learner = startWorker((report) => {
    if (report.kind === 'opened') return;
    if (report.kind === 'trained') {
      worker.terminate();
      worker = learner;
      learner.onmessage = ({ data }: MessageEvent<Report>) => receive(data);
      successor = null;
      showTrained(report.result, true);
    } else receive(report);
  });
  successor = learner;
  showWork('All rows: training…', null);
  if (opened !== null) learner.postMessage(opened);
  learner.postMessage({ kind: 'train', answer, begin: false } satisfies Order);
}

/** Shows a policy; one that follows the first number leaves what was typed, and the focus, where they are. */
function showTrained(result: TrainedResult, follows = false): void {
  for (const id of ['work', 'question']) section(id).hidden = true;
  problem.textContent = '';
  section('result').hidden = false;
  section('answer').replaceChildren();
  showResult(result);
  const form = find('form', HTMLFormElement);
  const typed = new Map(listControls(form).map(({ name, control }) => [name, control.value]));
  form.replaceChildren();
  const readInput = fillForm(form, result.fields);
  if (follows) for (const { name, control } of listControls(form)) control.value = typed.get(name) ?? '';
  form.onreset = () => section('answer').replaceChildren();
  form.onsubmit = (event) => {
    event.preventDefault();
    try {
      tell({ kind: 'decide', input: readInput() });
    } catch (error) {
      if (!(error instanceof UnreadableField)) throw error;
      section('answer').replaceChildren(say(error.message, 'bad'));
    }
  };
  section('labelling').hidden = result.open.length === 0;
  section('keep').hidden = result.ofRows !== null;
  const rows = new RowLabels({
    options: result.options,
    rows: result.open,
    finish: {
      name: 'Train with these labels',
      take: () => {
        showWork('Training…', null);
        tell({ kind: 'label', labels: listLabels(rows.given, result.open) });
      },
    },
  });
  labels = rows;
  if (!follows) section('number').focus();
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const listControls = (form: HTMLFormElement) =>
  [...form.querySelectorAll<Control>('input, select, textarea')].map((control) => ({
    name: control.parentElement?.querySelector('bdi')?.textContent ?? '',
    control,
  }));

const listLabels = (given: readonly (string | null)[], open: readonly OpenLine[]): GivenLabel[] =>
  given.flatMap((decision, at) => {
    const row = open[at]?.row;
    return decision === null || row === undefined ? [] : [{ row, decision }];
  });

/** The page of a policy, which the build packs into this one. */
function readOfflinePage(): string {
  const packed = atob(find('offline', HTMLScriptElement).text);
  return strFromU8(gunzipSync(Uint8Array.from(packed, (sign) => sign.charCodeAt(0))));
}

const chooser = find('file', HTMLInputElement);
chooser.addEventListener('change', () => {
  const [file] = chooser.files ?? [];
  if (file) void open(file);
  chooser.value = '';
});
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) void open(file);
});
document.addEventListener('keydown', (event) => labels?.take(event));
window.addEventListener('beforeunload', (event) => {
  if (labels !== null && labels.count > 0) event.preventDefault();
});
section('stop').addEventListener('click', () => {
  stop();
  // The table is read again, so that its question can be answered another way.
  if (opened !== null) tell(opened);
});
for (const as of ['page', 'bundle', 'project'] as const) {
  section(`save-${as}`).addEventListener('click', () =>
    tell({ kind: 'save', as, page: as === 'page' ? readOfflinePage() : '' }),
  );
}
