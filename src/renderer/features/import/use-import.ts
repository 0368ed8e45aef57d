/** The import of a chosen file: the server holds the file and plans it, the page shows the plan and sends choices. */
import { useEffect, useRef, useState } from 'react';
import { describeFileBound, limits } from '../../../engine/limits.ts';
import { ApiError } from '../../../server/contract/client.ts';
import type { ImportPlan } from '../../../server/contract/examples/import-plan.ts';
import type { ImportChoice } from '../../../server/contract/examples/imports.ts';
import type { InputOf, OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { change } from '../../state/queries.ts';
import type { WaitingFile } from '../../state/ui.ts';
import { useUi, useWorkbench, type Workbench } from '../../state/workbench.ts';

type FileState =
  | { kind: 'none' }
  | { kind: 'moved'; file: File }
  | { kind: 'reading'; name: string; cancel(): void }
  | { kind: 'open'; from: WaitingFile; opened: OpenFile; plan: ImportPlan }
  | { kind: 'failed'; name: string; message: string };

const isMovedFile = ({ name }: File): boolean => /\.zip$/i.test(name);

const retryAfterMs = 2_000;
type CommitBody = InputOf<'imports.commit'>['body'];

/** A file that lies with the server. Where the server has let go of it, it is sent again with all that was chosen. */
export class OpenFile {
  readonly #workbench: Workbench;
  readonly #type: DecisionType | null;
  readonly #from: WaitingFile;
  readonly #choices: ImportChoice[];
  #id = '';
  /** Whether the server has it, and it has not been committed. */
  #isOpen = false;
  #otherAnswers: readonly string[] = [];
  /** Tells this opening of a file from another one. */
  readonly key = crypto.randomUUID();
  /** Calls about the file go one after the other, as they were made. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(workbench: Workbench, type: DecisionType | null, from: WaitingFile) {
    this.#workbench = workbench;
    this.#type = type;
    this.#from = from;
    this.#choices = [...(from.choices ?? []), ...(from.answer === undefined ? [] : [{ answer: from.answer }])];
  }

  /** Choices of how the file is read, without those of what becomes of it. */
  get readings(): ImportChoice[] {
    return this.#choices.flatMap(({ sheet, header_line, delimiter, quote, encoding }) => {
      const given = Object.entries({ sheet, header_line, delimiter, quote, encoding }).filter(
        ([, value]) => value !== undefined,
      );
      return given.length === 0 ? [] : [Object.fromEntries(given)];
    });
  }

  /** Columns that could be answers of types of their own, by the last plan. */
  get otherAnswers(): readonly string[] {
    return this.#otherAnswers;
  }

  async open(signal?: AbortSignal): Promise<ImportPlan> {
    const { file } = this.#from;
    if (file.size > limits.maxImportBytes) throw new Error(describeFileBound(file.size));
    const form = new FormData();
    if (this.#type) form.set('decision_type_id', this.#type.id);
    form.set('file', file);
    let opened = await this.#workbench.client.upload('imports.begin', {}, form, signal);
    this.#id = opened.id;
    this.#isOpen = true;
    for (const body of this.#choices) opened = await this.#send(body);
    return this.#takePlan(opened);
  }

  #takePlan({ plan }: OutputOf<'imports.choose'>): ImportPlan {
    this.#otherAnswers = plan.other_answers;
    return plan;
  }

  #send(body: ImportChoice) {
    return this.#workbench.client.call('imports.choose', { params: { import_id: this.#id }, body });
  }

  #inTurn<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const again = async (error: unknown) => {
      if (signal?.aborted || !(error instanceof ApiError) || error.code !== 'not_found') throw error;
      await this.open();
      return run();
    };
    const done = this.#turn.then(() => run().catch(again));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Adds a choice, which is answered with the plan that it makes. */
  choose(choice: ImportChoice): Promise<ImportPlan> {
    return this.#inTurn(async () => {
      const plan = this.#takePlan(await this.#send(choice));
      this.#choices.push(choice);
      return plan;
    });
  }

  readRows(query: InputOf<'imports.rows'>['query']): Promise<OutputOf<'imports.rows'>> {
    return this.#inTurn(() => this.#workbench.client.call('imports.rows', { params: { import_id: this.#id }, query }));
  }

  /** Makes the import count; null where `signal` ended it. Asked again, it is answered as the first time. */
  async commit(body: CommitBody, signal: AbortSignal): Promise<OutputOf<'imports.commit'> | null> {
    const stop = () => this.leave();
    signal.addEventListener('abort', stop);
    try {
      const done = await this.#inTurn(() => this.#commit(body), signal);
      this.#isOpen = false;
      return done;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #commit(body: CommitBody) {
    const input = { params: { import_id: this.#id }, body, idempotencyKey: this.#id };
    try {
      return await change(this.#workbench, 'imports.commit', input);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'unreachable') throw error;
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
      return change(this.#workbench, 'imports.commit', input);
    }
  }

  /** The share of the rows that a commit has written; null before. */
  async readProgress(): Promise<number | null> {
    return (await this.#workbench.client.call('imports.get', { params: { import_id: this.#id } })).progress;
  }

  /** Ends the import without any effect, also while it is written. What is asked afterwards begins it again. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // Nobody waits for it: without this call it ends after five minutes.
    this.#workbench.client.call('imports.cancel', { params: { import_id: this.#id } }).catch(() => undefined);
  }
}

/** The file that was dropped or chosen, opened as it comes. */
export function useOpenFile(type: DecisionType | null) {
  const workbench = useWorkbench();
  const waiting = useUi((state) => state.waiting);
  const takeFile = useUi((state) => state.takeFile);
  const [state, setState] = useState<FileState>({ kind: 'none' });
  const running = useRef<AbortController | null>(null);
  const held = useRef<OpenFile | null>(null);
  const leave = () => {
    running.current?.abort();
    held.current?.leave();
    running.current = null;
    held.current = null;
  };
  const open = (from: WaitingFile) => {
    const { name } = from.file;
    leave();
    if (isMovedFile(from.file)) return setState({ kind: 'moved', file: from.file });
    const reading = new AbortController();
    running.current = reading;
    const cancel = () => {
      reading.abort();
      setState({ kind: 'none' });
    };
    setState({ kind: 'reading', name, cancel });
    const opened = new OpenFile(workbench, type, from);
    opened.open(reading.signal).then(
      (plan) => {
        if (reading.signal.aborted) return opened.leave();
        held.current = opened;
        setState({ kind: 'open', from, opened, plan });
      },
      (error: unknown) => {
        if (reading.signal.aborted) return;
        setState({ kind: 'failed', name, message: error instanceof Error ? error.message : String(error) });
      },
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is read once, when it comes
  useEffect(() => {
    if (!waiting) return;
    takeFile(null);
    open(waiting);
  }, [waiting]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is left is what is held then
  useEffect(() => leave, []);
  return { state, open, clear: () => setState({ kind: 'none' }) };
}
