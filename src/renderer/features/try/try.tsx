import './try.css';
import { Button, Menu } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { JsonObject } from '../../../engine/json.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useWhy, Why } from '../../parts/explained/why.tsx';
import { JsonText } from '../../parts/fields/growing-text.tsx';
import { useSettled } from '../../parts/hooks/use-rested.ts';
import { useSeenFields } from '../../parts/hooks/use-seen-fields.ts';
import { useTypedInput } from '../../parts/hooks/use-typed-input.ts';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { readJsonText } from '../../parts/text/json-text.ts';
import { isolate } from '../../parts/text/names.ts';
import { notify, notifyFailure } from '../../state/notices.tsx';
import { change, useOperation } from '../../state/queries.ts';
import { goTo } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { Answer } from './answer.tsx';
import { InputForm, readKinds } from './input-form.tsx';

const restMs = 300;
/** An explanation decides the input a few hundred times: it waits until somebody reads. */
const explainRestMs = 1_000;
const sampleCount = 50;
/** Options that the menu offers to pin; of more, the example is labelled on its card. */
const maxPinOptions = 9;

/** One input, decided by the deployed policy while it is typed, with everything that led there. */
export function Try({ type }: { type: DecisionType }) {
  if (!type.model_deployed) {
    return (
      <Pane title="Try" level={1}>
        <EmptyState
          title="Nothing is deployed yet"
          actions={
            <Button variant="filled" onClick={() => goTo({ page: 'type', id: type.id, place: 'train' })}>
              Go to training
            </Button>
          }
        >
          Decisions need a deployed policy, even where a rule would match. Train one, or deploy a trained one under
          Deploy.
        </EmptyState>
      </Pane>
    );
  }
  return <TryDeployed type={type} />;
}

function TryDeployed({ type }: { type: DecisionType }) {
  const examples = useOperation(
    'examples.list',
    { params: { decision_type_id: type.id }, query: { page_size: sampleCount } },
    { staleMs: Number.POSITIVE_INFINITY },
  );
  const samples = examples.data?.items.map(({ input_payload }) => input_payload) ?? [];
  const logged = useOperation('logs.list', { params: { decision_type_id: type.id }, query: { page_size: 1 } });
  const [last] = logged.data?.items ?? [];
  const all = last ? [...samples, last.input] : samples;
  const typed = useTypedInput(`try.${type.id}`, examples.isPending ? undefined : all);
  const { text, input, take } = typed;
  const takeNext = () => take((typed.turn + 1) % samples.length);
  const [view, setView] = useState<'form' | 'json'>('form');
  const turnView = () => setView(view === 'form' ? 'json' : 'form');
  const { answer, isStale } = useAnswer(type, input, text);
  useCommands('Try', [
    {
      id: 'next-example',
      title: 'Take another example',
      keys: 'Mod+ArrowRight',
      inFields: true,
      enabled: samples.length > 1,
      run: takeNext,
    },
    { id: 'try-view', title: 'Edit as form or as JSON', run: turnView },
  ]);
  return (
    <Place
      id="try"
      title="Try"
      cards
      tools={
        <>
          <Button onClick={turnView}>{view === 'form' ? 'Edit as JSON' : 'Edit as form'}</Button>
          {samples.length > 1 && <Button onClick={takeNext}>Take another example</Button>}
          {last && <Button onClick={() => take(samples.length)}>Take the last logged</Button>}
          {input && <SaveMenu type={type} input={input} decision={answer.data?.decision ?? null} />}
        </>
      }
      beside={
        <Pane title="Decision" head={isStale && <span className="muted">deciding…</span>}>
          {answer.isError && <ErrorNote error={answer.error} />}
          {answer.data && (
            <div className={isStale ? 'stale' : undefined} aria-live="polite" aria-busy={isStale}>
              <Answer type={type} answer={answer.data} />
            </div>
          )}
          <TryWhy type={type} input={input} text={text} />
        </Pane>
      }
    >
      {typed.isReady ? (
        <TypedInput type={type} typed={typed} asForm={view === 'form'} />
      ) : (
        <Busy>Loading an example…</Busy>
      )}
    </Place>
  );
}

type TypedInputProps = { type: DecisionType; typed: ReturnType<typeof useTypedInput>; asForm: boolean };

/** The input to edit: as a form where that is asked for and it has fields, else as JSON. */
function TypedInput({ type, typed: { text, input, problem, turn, setText, setInput }, asForm }: TypedInputProps) {
  if (asForm && input !== null && Object.keys(input).length > 0) {
    return <ShapedForm key={turn} type={type} input={input} onInput={setInput} />;
  }
  return <JsonText label="Input (JSON)" minRows={14} value={text} onText={setText} problem={problem} />;
}

/** Asks what the deployed policy decides once typing rests; the last answer stays until the next is here. */
function useAnswer(type: DecisionType, input: JsonObject | null, text: string) {
  const settled = useSettled(text, restMs);
  const asked = useMemo(() => readJsonText(settled, 'input'), [settled]);
  const question = 'value' in asked ? asked.value : null;
  const answer = useOperation(
    'decide',
    { query: { trace: true, dry_run: true }, body: { decision_type: type.name, input: question ?? {} } },
    { enabled: input !== null && question !== null, keepPrevious: true },
  );
  return { answer, isStale: text !== settled || answer.isPlaceholderData || answer.isFetching };
}

function TryWhy({ type, input, text }: { type: DecisionType; input: JsonObject | null; text: string }) {
  const why = useWhy(type, 'try', true);
  const settled = useSettled(text, explainRestMs);
  const asked = useMemo(() => readJsonText(settled, 'input'), [settled]);
  const question = 'value' in asked ? asked.value : null;
  const { data, error, isPlaceholderData, refetch } = useOperation(
    'decide',
    { query: { explain: true, dry_run: true }, body: { decision_type: type.name, input: question ?? {} } },
    { enabled: why.isAsked && input !== null && question !== null, keepPrevious: true, staleMs: 60_000 },
  );
  const isStale = text !== settled || isPlaceholderData;
  const answer = { data: data?.explain, error, isStale, retry: () => void refetch() };
  return question && <Why type={type} why={why} answer={answer} input={question} />;
}

type ShapedFormProps = { type: DecisionType; input: JsonObject; onInput(input: JsonObject): void };

/** The form keeps the kinds of its fields from when it was opened: typing never swaps a field for another. */
function ShapedForm({ type, input, onInput }: ShapedFormProps) {
  const seen = useSeenFields(type.id);
  const [kinds] = useState(() => readKinds(input));
  return (
    <div className="input-form part">
      <InputForm input={input} kinds={kinds} seen={seen} readings={type.active_version.readings} onInput={onInput} />
    </div>
  );
}

function SaveMenu({ type, input, decision }: { type: DecisionType; input: JsonObject; decision: string | null }) {
  const workbench = useWorkbench();
  const { sayDone } = useUndo(type.id);
  const save = async (label: string | null, must = false) => {
    try {
      const made = await change(workbench, 'examples.create', {
        params: { decision_type_id: type.id },
        body: { examples: [{ input, decision: label, must }] },
      });
      const ids = made.map(({ id }) => id);
      const act = workbench.acts.added(type.id, ids, 'Example added');
      const saved = must ? 'Pinned: it must be decided as' : 'Saved as an example of';
      const text = label === null ? 'Saved as an example without a label.' : `${saved} ${isolate(label)}.`;
      sayDone(text, act);
    } catch (error) {
      notifyFailure(error);
    }
  };
  const decide = async () => {
    try {
      await change(workbench, 'decide', { query: {}, body: { decision_type: type.name, input } });
      notify({ kind: 'info', text: 'Decided and recorded; Monitor shows it.' });
    } catch (error) {
      notifyFailure(error);
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button>Save…</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {decision !== null && (
          <Menu.Item onClick={() => void save(decision)}>Save as an example of {isolate(decision)}</Menu.Item>
        )}
        <PinItems options={type.active_version.options} onPin={(option) => void save(option, true)} />
        <Menu.Item onClick={() => void save(null)}>Save as an example to label</Menu.Item>
        <Menu.Item onClick={() => void decide()}>Decide and record it, as for a program</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Says what the input must be decided as. */
function PinItems({ options, onPin }: { options: readonly string[]; onPin(option: string): void }) {
  if (options.length > maxPinOptions) return null;
  return options.map((option) => (
    <Menu.Item key={option} onClick={() => onPin(option)}>
      Pin: it must be {isolate(option)}
    </Menu.Item>
  ));
}
