/** The answer given last, offered to open examples that say nearly the same. */
import { Button } from '@mantine/core';
import { useStore } from 'zustand';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { patchCachedExample } from '../../../api/labels.ts';
import { useRested } from '../../../parts/explained/why.tsx';
import { OptionName } from '../../../parts/option.tsx';
import { count } from '../../../parts/text/figures.ts';
import { shorten, summariseInput } from '../../../parts/text/inputs.ts';
import { notifyFailure } from '../../../state/notices.tsx';
import { useOperation } from '../../../state/queries.ts';
import { useCommands } from '../../../state/use-commands.ts';
import { useUndo } from '../../../state/use-undo.ts';
import { useWorkbench } from '../../../state/workbench.ts';

const maxCopies = 20;
const maxSummary = 140;

/** Asks whether near copies of the example labelled last get its answer: one act, taken back as one. */
export function NearCopies({ type: { id: typeId, active_version } }: { type: DecisionType }) {
  const { acts, queries } = useWorkbench();
  const { sayDone } = useUndo(typeId);
  const step = useStore(acts.store, ({ done }) => done.findLast((act) => act.typeId === typeId)?.step);
  const decision = (step?.kind === 'label' && step.after.expected_decision) || null;
  const exampleId = step?.kind === 'label' ? step.exampleId : '';
  const isRested = useRested(exampleId);
  const { data } = useOperation(
    'examples.similar',
    { params: { decision_type_id: typeId, example_id: exampleId }, query: { count: maxCopies, near_copies: true } },
    { enabled: isRested && decision !== null },
  );
  const copies = decision === null ? [] : (data?.items ?? []).map(({ example }) => example);
  const give = () => {
    if (decision === null) return;
    const ids = copies.map(({ id }) => id);
    const labelled = `Labelled ${count(ids.length, 'near copy', 'near copies')}`;
    acts.bulk(typeId, [{ ids, action: 'set_decision', decision }], labelled, ids.length).then((act) => {
      for (const id of ids) patchCachedExample(queries, id, { expected_decision: decision });
      sayDone(`${labelled}.`, act);
    }, notifyFailure);
  };
  useCommands('Label', [
    { id: 'label-copies', title: 'Give near copies the same answer', keys: 'c', enabled: copies.length > 0, run: give },
  ]);
  if (copies.length === 0) return null;
  return (
    <section className="note stack tight" aria-label="Near copies">
      <p className="row">
        <span>
          Give its {count(copies.length, 'near copy', 'near copies')} the same answer,{' '}
          <OptionName typeId={typeId} option={decision} />?
        </span>
        <Button size="compact-sm" onClick={give} rightSection={<kbd>C</kbd>}>
          Give
        </Button>
      </p>
      <ul className="stack tight">
        {copies.map(({ id, input_payload }) => (
          <li key={id} className="muted wrap">
            {shorten(summariseInput(input_payload, active_version.readings), maxSummary)}
          </li>
        ))}
      </ul>
    </section>
  );
}
