import { Button, Menu } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { JsonObject } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { change, useOperation } from '../../api/queries.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { GrowingText } from '../../parts/growing-text.tsx';
import { readJsonText } from '../../parts/json-text.ts';
import { isolate } from '../../parts/names.ts';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { findAddress, toCurl, toPython, toTypeScript } from '../../parts/programs.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { useWhy, Why } from '../../parts/why.tsx';
import { useKept } from '../../state/kept.ts';
import { notify } from '../../state/notices.tsx';
import { goTo } from '../../state/route.ts';
import { useWorkbench } from '../../workbench.tsx';
import { Answer } from './answer.tsx';
import { InputForm, readKinds } from './input-form.tsx';

const restMs = 300;
/** An explanation decides the input a few hundred times: it waits until somebody reads. */
const explainRestMs = 1_000;
const sampleCount = 50;

/** One input, decided by the deployed policy while it is typed, with everything that led there. */
export function Try({ type }: { type: DecisionType }) {
  if (!type.model_deployed) {
    return (
      <Pane title="Try" level={1}>
        <EmptyState
          title="Nothing is deployed yet"
          actions={<Button onClick={() => goTo({ page: 'type', id: type.id, place: 'train' })}>Go to training</Button>}
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
  const [kept, setKept] = useKept(`try.${type.id}`);
  const [turn, setTurn] = useState(0);
  const [view, setView] = useState<'form' | 'json'>('form');
  const samples = examples.data?.items ?? [];
  const isReady = kept !== null || !examples.isPending;
  const text = kept ?? (isReady ? JSON.stringify(samples[0]?.input_payload ?? {}, null, 2) : '');
  const parsed = readJsonText(text, 'input');
  const input = 'value' in parsed ? parsed.value : null;
  const { answer, isStale } = useAnswer(type, input, text);
  const next = () => {
    const index = (turn + 1) % Math.max(1, samples.length);
    setTurn(index);
    setKept(JSON.stringify(samples[index]?.input_payload ?? {}, null, 2));
  };
  useCommands([
    {
      id: 'next-example',
      title: 'Take another example',
      group: 'Try',
      keys: 'Mod+ArrowRight',
      inFields: true,
      enabled: samples.length > 1,
      run: next,
    },
    {
      id: 'try-view',
      title: 'Edit as form or as JSON',
      group: 'Try',
      run: () => setView(view === 'form' ? 'json' : 'form'),
    },
  ]);
  const showForm = view === 'form' && input !== null && Object.keys(input).length > 0;
  return (
    <PlaceLayout
      id="try"
      main={
        <Pane
          title="Try"
          level={1}
          roomy
          tools={
            <>
              <Button variant="default" onClick={() => setView(view === 'form' ? 'json' : 'form')}>
                {view === 'form' ? 'Edit as JSON' : 'Edit as form'}
              </Button>
              {samples.length > 1 && (
                <Button variant="default" onClick={next}>
                  Take another example
                </Button>
              )}
              {input && <SaveMenu type={type} input={input} decision={answer.data?.decision ?? null} />}
            </>
          }
        >
          {!isReady && <Busy>Loading an example…</Busy>}
          {isReady && showForm && (
            <ShapedForm key={turn} input={input} onInput={(value) => setKept(JSON.stringify(value, null, 2))} />
          )}
          {isReady && !showForm && (
            <GrowingText
              label="Input (JSON)"
              classNames={{ input: 'mono' }}
              minRows={14}
              spellCheck={false}
              value={text}
              onChange={(event) => setKept(event.currentTarget.value)}
              error={'problem' in parsed ? parsed.problem : undefined}
            />
          )}
        </Pane>
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
    />
  );
}

/** What the deployed policy decides once typing rests; the last answer stays until the next is here. */
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

/** The form keeps the kinds of its fields from when it was opened: typing never swaps a field for another. */
function ShapedForm({ input, onInput }: { input: JsonObject; onInput(input: JsonObject): void }) {
  const [kinds] = useState(() => readKinds(input));
  return <InputForm input={input} kinds={kinds} path="" onInput={onInput} />;
}

function SaveMenu({ type, input, decision }: { type: DecisionType; input: JsonObject; decision: string | null }) {
  const workbench = useWorkbench();
  const address = findAddress();
  const copy = (what: string, text: string) => async () => {
    await navigator.clipboard.writeText(text);
    notify({ kind: 'info', text: `The ${what} is in the clipboard.` });
  };
  const save = async (label: string | null) => {
    try {
      const made = await change(workbench, 'examples.create', {
        params: { decision_type_id: type.id },
        body: { examples: [{ input, decision: label }] },
      });
      workbench.acts.added(
        type.id,
        made.map(({ id }) => id),
        'Example added',
      );
      const text =
        label === null ? 'Saved as an example without a label.' : `Saved as an example of ${isolate(label)}.`;
      notify({ kind: 'info', text, undo: () => void workbench.acts.undo(type.id) });
    } catch (error) {
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const decide = async () => {
    try {
      await change(workbench, 'decide', { query: {}, body: { decision_type: type.name, input } });
      notify({ kind: 'info', text: 'Decided and recorded; Monitor shows it.' });
    } catch (error) {
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">Save or copy…</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {decision !== null && (
          <Menu.Item onClick={() => void save(decision)}>Save as an example of {isolate(decision)}</Menu.Item>
        )}
        <Menu.Item onClick={() => void save(null)}>Save as an example to label</Menu.Item>
        <Menu.Item onClick={() => void decide()}>Decide and record it, as for a program</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={copy('call with curl', toCurl(address, type.name, input))}>Copy as curl</Menu.Item>
        <Menu.Item onClick={copy('call in Python', toPython(address, type.name, input))}>Copy as Python</Menu.Item>
        <Menu.Item onClick={copy('call in TypeScript', toTypeScript(address, type.name, input))}>
          Copy as TypeScript
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
