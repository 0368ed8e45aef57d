import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { CompiledRules } from '../../../engine/rules/rules-file.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { RuleTraces } from '../../parts/explained/rule-trace.tsx';
import { JsonText } from '../../parts/fields/growing-text.tsx';
import { useTypedInput } from '../../parts/hooks/use-typed-input.ts';
import { Busy, Part } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';
import { Inspector } from '../../parts/panes.tsx';
import { useOperation } from '../../state/queries.ts';

const sampleCount = 50;

/** The rules as they are typed, tried on an input: an example, a logged input, or what is typed here. */
export function RuleTest({ type, rules, onClose }: { type: DecisionType; rules: CompiledRules; onClose(): void }) {
  const params = { decision_type_id: type.id };
  const examples = useOperation('examples.list', { params, query: { page_size: sampleCount } }, { staleMs: 60_000 });
  const logs = useOperation('logs.list', { params, query: { page_size: sampleCount } }, { staleMs: 60_000 });
  const inputs = [
    ...(examples.data?.items.map((example) => example.input_payload) ?? []),
    ...(logs.data?.items.map((record) => record.input) ?? []),
  ];
  const { text, input, problem, setText, take, takeNext } = useTypedInput(`rule-test.${type.id}`, inputs);
  const outcome = useMemo(() => (input ? rules.evaluate(input, true) : null), [rules, input]);
  const firstLog = examples.data?.items.length ?? 0;
  return (
    <Inspector
      title="Test"
      onClose={onClose}
      tools={
        <>
          <Button size="compact-xs" disabled={inputs.length === 0} onClick={takeNext}>
            Next input
          </Button>
          {logs.data && logs.data.items.length > 0 && (
            <Button size="compact-xs" onClick={() => take(firstLog)}>
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
          <JsonText label="Input (JSON)" minRows={5} maxRows={16} value={text} onText={setText} problem={problem} />
        )}
      </div>
      <Part title="Trace">
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
