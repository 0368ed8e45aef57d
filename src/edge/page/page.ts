/** The page that decides by the bundle inside it: one input by a form, or a file. */
import { z } from 'zod';
import { UnreadableFile } from '../../engine/import/sheet.ts';
import { type EdgeDecision, InvalidBundle, InvalidInput, type Predictor } from '../api.ts';
import { loadBundle } from '../browser.ts';
import { show } from './decision.ts';
import { find, make, say } from './elements.ts';
import { fillForm, UnreadableField } from './input-form.ts';
import { readTable, type Table, writeDecided } from './table-file.ts';

// It would otherwise try to compile its checks, which the policy of the page refuses.
z.config({ jitless: true });

const count = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

function readBundle(): Uint8Array {
  const packed = atob(find('bundle', HTMLScriptElement).text);
  return Uint8Array.from(packed, (sign) => sign.charCodeAt(0));
}

async function open(): Promise<void> {
  const about = find('about', HTMLParagraphElement);
  try {
    const predictor = await loadBundle(readBundle());
    const { compared } = await predictor.verify();
    const { policy_version, created_at, options, digest } = predictor.info;
    about.textContent = `Policy ${policy_version} of ${created_at.slice(0, 10)}, ${digest.slice(0, 8)}: ${options.join(', ')}. ${count(compared, 'known input')} decided as in the workbench.`;
    find('main', HTMLElement).hidden = false;
    openForm(predictor);
    openFiles(predictor);
  } catch (error) {
    if (!(error instanceof InvalidBundle)) throw error;
    about.className = 'bad';
    about.textContent = `${error.message} Save the page again.`;
  }
}

function openForm(predictor: Predictor): void {
  const form = find('form', HTMLFormElement);
  const answer = find('answer', HTMLDivElement);
  const readInput = fillForm(form, predictor.info.fields);
  form.addEventListener('reset', () => answer.replaceChildren());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      answer.replaceChildren(...show(await predictor.decide(readInput())));
    } catch (error) {
      if (!(error instanceof InvalidInput || error instanceof UnreadableField)) throw error;
      answer.replaceChildren(say(error.message, 'bad'));
    }
  });
}

function openFiles(predictor: Predictor): void {
  const chooser = find('file', HTMLInputElement);
  let running = new AbortController();
  const take = (file: File | undefined) => {
    if (file === undefined) return;
    running.abort();
    const mine = new AbortController();
    running = mine;
    void decideFile(predictor, file, mine, () => running === mine);
  };
  chooser.addEventListener('change', () => {
    take(chooser.files?.[0]);
    // The same file can be chosen again once it is corrected.
    chooser.value = '';
  });
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    take(event.dataTransfer?.files[0]);
  });
}

async function decideFile(
  predictor: Predictor,
  file: File,
  running: AbortController,
  isCurrent: () => boolean,
): Promise<void> {
  const state = find('file-state', HTMLDivElement);
  const acts = find('file-acts', HTMLParagraphElement);
  const stop = make('button', { type: 'button', className: 'plain' }, 'Stop');
  stop.addEventListener('click', () => running.abort());
  state.replaceChildren(say(`Reading ${file.name}…`));
  acts.replaceChildren(stop);
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const table = await readTable({ name: file.name, bytes }, predictor.info);
    const progress = make('progress', { max: table.inputs.length });
    state.replaceChildren(say(`Deciding ${count(table.inputs.length, 'row')}…`), progress);
    const onProgress = (decided: number) => {
      progress.value = decided;
    };
    const decided = await predictor.decideEach(table.inputs, { signal: running.signal, onProgress });
    state.replaceChildren(say(summarize(decided)), ...table.notes.map((note) => say(note, 'hint')));
    acts.replaceChildren(makeSave(table, decided));
  } catch (error) {
    // Another file was chosen meanwhile, and the page shows that one.
    if (!isCurrent()) return;
    acts.replaceChildren();
    if (running.signal.aborted) state.replaceChildren(say('Stopped; nothing was written.'));
    else if (error instanceof UnreadableFile) state.replaceChildren(say(`${file.name}: ${error.message}`, 'bad'));
    else throw error;
  }
}

function summarize(decided: readonly (EdgeDecision | InvalidInput)[]): string {
  const made = decided.flatMap((one) => (one instanceof InvalidInput ? [] : [one]));
  const byOption = Map.groupBy(made, ({ decision }) => decision);
  const options = [...byOption].map(([option, some]) => `${option} ${some.length.toLocaleString('en')}`);
  const review = made.filter(({ escalate }) => escalate).length;
  const refused = decided.length - made.length;
  const parts = [
    `${count(decided.length, 'row')}: ${options.join(', ')}`,
    ...(review > 0 ? [`${review.toLocaleString('en')} for a review`] : []),
    ...(refused > 0 ? [`${refused.toLocaleString('en')} refused, with the reason beside them`] : []),
  ];
  return `${parts.join('; ')}.`;
}

function makeSave(table: Table, decided: readonly (EdgeDecision | InvalidInput)[]): HTMLButtonElement {
  const save = make('button', { type: 'button' }, 'Save the file with its decisions');
  save.addEventListener('click', () => {
    const { name, bytes, type } = writeDecided(table, decided);
    const address = URL.createObjectURL(new Blob([bytes], { type }));
    make('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  });
  return save;
}

void open();
