import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { CompiledRules } from '../../../engine/rules/compile.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { useOperation } from '../../api/queries.ts';
import { GrowingText } from '../../parts/growing-text.tsx';
import { readJsonText } from '../../parts/json-text.ts';
import { Busy, Part } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';
import { Inspector } from '../../parts/panes.tsx';
import { RuleTraces } from '../../parts/rule-trace.tsx';
import { useKept } from '../../state/kept.ts';

const sampleCount = 50;

/** The rules as they are typed, tried on an input: an example, a logged input, or what is typed here. */
export function RuleTest({
  type,
  rules,
  onClose,
}: {
  type: DecisionType;
  /** null while a rule has a problem. */
  rules: CompiledRules | null;
  onClose(): void;
}) {
  const params = { decision_type_id: type.id };
  const examples = useOperation('examples.list', { params, query: { page_size: sampleCount } }, { staleMs: 60_000 });
  const logs = useOperation('logs.list', { params, query: { page_size: sampleCount } }, { staleMs: 60_000 });
  const [kept, setKept] = useKept(`rule-test.${type.id}`);
  const [turn, setTurn] = useState(0);
  const inputs = [
    ...(examples.data?.items.map((example) => example.input_payload) ?? []),
    ...(logs.data?.items.map((record) => record.input) ?? []),
  ];
  const text = kept ?? JSON.stringify(inputs[0] ?? {}, null, 2);
  const parsed = readJsonText(text, 'input');
  const input = 'value' in parsed ? parsed.value : null;
  const outcome = useMemo(() => (rules && input ? rules.evaluate(input, true) : null), [rules, input]);
  const take = (index: number) => {
    setTurn(index);
    setKept(JSON.stringify(inputs[index] ?? {}, null, 2));
  };
  const firstLog = examples.data?.items.length ?? 0;
  return (
    <Inspector
      title="Test"
      onClose={onClose}
      tools={
        <>
          <Button
            size="compact-xs"
            variant="default"
            disabled={inputs.length === 0}
            onClick={() => take((turn + 1) % inputs.length)}
          >
            Next input
          </Button>
          {logs.data && logs.data.items.length > 0 && (
            <Button size="compact-xs" variant="default" onClick={() => take(firstLog)}>
              Newest logged
            </Button>
          )}
        </>
      }
    >
      <div className="part">
        {examples.isPending ? (
          <Busy>Loading an example…</Busy>
        ) : (
          <GrowingText
            label="Input (JSON)"
            classNames={{ input: 'mono' }}
            minRows={5}
            maxRows={16}
            spellCheck={false}
            value={text}
            onChange={(event) => setKept(event.currentTarget.value)}
            error={'problem' in parsed ? parsed.problem : undefined}
          />
        )}
      </div>
      <Part title="Trace">
        {rules === null && <p className="muted">The trace is shown once no rule has a problem.</p>}
        {outcome && (
          <div className="stack">
            <p className="row">
              {outcome.matched ? (
                <>
                  Decides <OptionName typeId={type.id} option={outcome.matched.then} />
                </>
              ) : (
                'No rule matches: the classifier decides.'
              )}
            </p>
            <RuleTraces rules={outcome.trace} />
          </div>
        )}
      </Part>
    </Inspector>
  );
}
