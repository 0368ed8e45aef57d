import { useId, useState } from 'react';
import type { Json, JsonObject } from '../../engine/domain.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { DecideResponse } from '../../server/contract/decisions.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { AreaField, TextField } from '../parts/fields.tsx';
import { readJsonText } from '../parts/json-text.ts';
import { Bars, Busy, Card, EmptyState, ErrorNote, percent } from '../parts/layout.tsx';
import { goTo } from '../state/route.ts';

/** One input decided by the deployed policy, with everything that led there. */
export function TryTab({ type }: { type: DecisionType }) {
  const examples = useOperation('examples.list', { params: { decision_type_id: type.id }, query: { page_size: 20 } });
  const [text, setText] = useState<string | null>(null);
  const [view, setView] = useState<'form' | 'json'>('form');
  const [turn, setTurn] = useState(0);
  const decide = useChange('decide');
  const samples = examples.data?.items ?? [];
  const shown = text ?? JSON.stringify(samples[0]?.input_payload ?? {}, null, 2);
  const parsed = readJsonText(shown, 'input');
  const input = 'value' in parsed ? parsed.value : null;
  const run = () => {
    if (input) decide.mutate({ query: { trace: true }, body: { decision_type: type.name, input } });
  };
  const next = () => {
    const index = (turn + 1) % Math.max(1, samples.length);
    setTurn(index);
    setText(JSON.stringify(samples[index]?.input_payload ?? {}, null, 2));
  };
  useCommands([
    {
      id: 'decide',
      title: 'Decide',
      group: 'Try',
      keys: 'Mod+Enter',
      inFields: true,
      enabled: type.model_deployed && input !== null,
      run,
    },
    { id: 'next-example', title: 'Take another example', group: 'Try', enabled: samples.length > 1, run: next },
  ]);
  if (!type.model_deployed) {
    return (
      <EmptyState
        title="Nothing is deployed yet"
        actions={
          <button type="button" className="primary" onClick={() => goTo({ page: 'type', id: type.id, tab: 'train' })}>
            Go to training
          </button>
        }
      >
        Decisions need a deployed policy, even where a rule would match. Train one, or deploy a trained one under
        Results.
      </EmptyState>
    );
  }
  const showForm = view === 'form' && input !== null && Object.keys(input).length > 0;
  return (
    <div className="two">
      <Card
        title="Input"
        actions={
          <button type="button" className="small" onClick={() => setView(view === 'form' ? 'json' : 'form')}>
            {view === 'form' ? 'Edit as JSON' : 'Edit as form'}
          </button>
        }
      >
        {examples.isPending && <Busy>Loading an example…</Busy>}
        {showForm ? (
          <InputForm input={input} onInput={(value) => setText(JSON.stringify(value, null, 2))} />
        ) : (
          <AreaField
            label="Input (JSON)"
            mono
            rows={14}
            value={shown}
            onValue={setText}
            error={'problem' in parsed ? parsed.problem : undefined}
          />
        )}
        <div className="row">
          <button type="button" className="primary" disabled={input === null || decide.isPending} onClick={run}>
            Decide
          </button>
          {samples.length > 1 && (
            <button type="button" onClick={next}>
              Take another example
            </button>
          )}
          <kbd>Ctrl+Enter</kbd>
        </div>
      </Card>
      <div className="stack" aria-live="polite">
        {decide.isPending && <Busy>Deciding…</Busy>}
        {decide.isError && <ErrorNote error={decide.error} />}
        {decide.data && <Answer answer={decide.data} />}
        {!decide.data && !decide.isError && !decide.isPending && (
          <p className="note">The decision, its probabilities and the way to it appear here.</p>
        )}
      </div>
    </div>
  );
}

function InputForm({ input, onInput }: { input: JsonObject; onInput(input: JsonObject): void }) {
  const id = useId();
  const set = (name: string, value: Json) => onInput({ ...input, [name]: value });
  return (
    <div className="stack tight">
      {Object.entries(input).map(([name, value]) => {
        if (typeof value === 'boolean') {
          return (
            <div key={name} className="check">
              <input
                id={`${id}-${name}`}
                type="checkbox"
                checked={value}
                onChange={(event) => set(name, event.target.checked)}
              />
              <label htmlFor={`${id}-${name}`}>{name}</label>
            </div>
          );
        }
        if (typeof value === 'number') {
          return (
            <TextField
              key={name}
              label={name}
              type="number"
              step="any"
              value={String(value)}
              onValue={(text) => set(name, text === '' ? 0 : Number(text))}
            />
          );
        }
        if (typeof value === 'string') {
          return value.length > 60 ? (
            <AreaField key={name} label={name} rows={4} value={value} onValue={(text) => set(name, text)} />
          ) : (
            <TextField key={name} label={name} value={value} onValue={(text) => set(name, text)} />
          );
        }
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
          return (
            <fieldset key={name} className="nested">
              <legend className="label">{name}</legend>
              <InputForm input={value} onInput={(part) => set(name, part)} />
            </fieldset>
          );
        }
        return (
          <div key={name} className="field">
            <span className="label">{name}</span>
            <code className="clip">{JSON.stringify(value)}</code>
          </div>
        );
      })}
    </div>
  );
}

const stageNames = {
  rules: 'A rule decided',
  classifier: 'The classifier decided',
  escalation: 'The connected model decided',
  fallback: 'The fallback decided',
} as const;

/** A decision with probabilities, rules and contributions. */
function Answer({ answer }: { answer: DecideResponse }) {
  const { trace } = answer;
  const features = [...(trace?.features ?? [])].sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const largest = Math.max(1e-9, ...features.map(({ contribution }) => Math.abs(contribution)));
  return (
    <>
      <Card
        title="Decision"
        actions={
          <span className="row">
            {answer.unfamiliar && <span className="badge bad">Unfamiliar input</span>}
            {answer.escalate && <span className="badge warn">Needs a look</span>}
            {answer.fallback_used && <span className="badge warn">Fallback</span>}
            <span className="badge">{answer.policy_version}</span>
          </span>
        }
      >
        <p className="answer" data-testid="decision">
          {answer.decision}
        </p>
        <p className="muted">
          {stageNames[answer.stage]} with {percent(answer.confidence)} confidence in {answer.latency_ms.toFixed(1)} ms.
          {answer.reason_codes.length > 0 && ` Reasons: ${answer.reason_codes.join(', ')}.`}
        </p>
        {answer.explanation && <p>{answer.explanation}</p>}
        <Bars
          items={Object.entries(answer.class_probabilities)
            .sort((a, b) => b[1] - a[1])
            .map(([name, value]) => ({ name, value }))}
        />
      </Card>
      {trace && trace.rules.length > 0 && (
        <Card title="Rules">
          <ul className="stack tight">
            {trace.rules.map((rule) => (
              <li key={rule.name}>
                <span className={`badge ${ruleBadges[rule.outcome]}`}>{rule.outcome.replaceAll('_', ' ')}</span>{' '}
                <strong>{rule.name}</strong>
                {rule.error && <span className="muted"> {rule.error}</span>}
                {rule.values.map(({ expression, value }) => (
                  <div key={expression} className="small muted">
                    <code>
                      {expression} = {JSON.stringify(value)}
                    </code>
                  </div>
                ))}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {features.length > 0 && (
        <Card title="Contributions of the fields">
          <div className="bars">
            {features.slice(0, 12).map(({ field, value, contribution }) => (
              <Contribution key={field} name={field} value={value} contribution={contribution} largest={largest} />
            ))}
          </div>
          <p className="muted small">Towards (+) or against (−) the decision; the length is the weight.</p>
        </Card>
      )}
      {trace && trace.familiarity.length > 0 && (
        <Card title="Familiarity">
          <ul className="stack tight">
            {trace.familiarity.map(({ check, score, limit, familiar, outside }) => (
              <li key={check}>
                <span className={`badge ${familiar ? 'good' : 'bad'}`}>{familiar ? 'familiar' : 'unfamiliar'}</span>{' '}
                {familiarityTexts[check]}: {Number(score.toFixed(3))} ({check === 'embedding' ? 'at least' : 'at most'}{' '}
                {Number(limit.toFixed(3))}){outside.length > 0 && `: ${outside.join(', ')}`}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {trace && trace.reasons.length > 0 && (
        <Card title="Reason codes learned from inputs">
          <Bars
            items={[...trace.reasons]
              .sort((a, b) => b.probability - a.probability)
              .map(({ code, probability }) => ({ name: code, value: probability }))}
          />
        </Card>
      )}
      {trace && trace.truncated.length > 0 && (
        <p className="note warn">Cut to the length that the text model reads: {trace.truncated.join(', ')}</p>
      )}
    </>
  );
}

const familiarityTexts = {
  words: 'Rarity of the words',
  embedding: 'Similarity of the meaning to an option',
  fields: 'Fields outside the range of the examples',
} as const;

const ruleBadges = { matched: 'good', not_matched: '', error: 'bad', not_reached: '' } as const;

function Contribution({
  name,
  value,
  contribution,
  largest,
}: {
  name: string;
  value: unknown;
  contribution: number;
  largest: number;
}) {
  const color = contribution >= 0 ? 'var(--good)' : 'var(--bad)';
  return (
    <>
      <span className="name">
        {name} <span className="clip muted small">{typeof value === 'string' ? value : JSON.stringify(value)}</span>
      </span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${(Math.abs(contribution) / largest) * 100}%`, background: color }} />
      </span>
      <span className="number">{`${contribution >= 0 ? '+' : '−'}${Math.abs(contribution).toFixed(2)}`}</span>
    </>
  );
}
