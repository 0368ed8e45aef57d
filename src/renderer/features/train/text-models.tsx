/** The ways to read texts that a training has compared. */
import { Button } from '@mantine/core';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { decimal, milliseconds, percent } from '../../parts/text/figures.ts';
import { useChange } from '../../state/queries.ts';

type Trial = NonNullable<NonNullable<OutputOf<'policies.get'>['metrics']>['text_models']>[number];

type Props = { policy: OutputOf<'policies.get'>; names: Readonly<Record<string, string>> };

/** Shows what texts could be read by, side by side; one press trains with another. A policy that decides stays. */
export function TextModels({ policy, names }: Props) {
  const start = useChange('training.start');
  const { metrics, training_config: config, decision_type_id: typeId } = policy;
  const trials = metrics?.text_models ?? [];
  const chosen = trials.find((trial) => trial.chosen);
  if (chosen === undefined) return null;
  const train = (text_model: Trial['text_model']) =>
    start.mutate({ params: { decision_type_id: typeId }, body: { ...config, text_model, auto_deploy: false } });
  return (
    <div className="stack tight">
      <PlainTable
        label="What texts are read by"
        heads={[
          'Read by',
          { name: 'Correct', says: `Of ${chosen.rows} examples, each judged by a classifier that had not seen it.` },
          { name: 'Log-loss', says: 'Less is better.' },
          { name: 'Time a text', says: 'Measured at the training.' },
          { name: 'In a bundle', says: 'The size of the text model.' },
          { name: 'Choose', isHidden: true },
        ]}
      >
        {trials.map((trial) => (
          <tr key={trial.text_model}>
            <td>{names[trial.text_model] ?? trial.text_model}</td>
            <td className="number">{percent(trial.accuracy)}</td>
            <td className="number">{decimal(trial.log_loss, 3)}</td>
            <td className="number">{milliseconds(trial.encode_ms)}</td>
            <td className="number">{trial.size_mb === 0 ? 'no model' : `${Math.round(trial.size_mb)} MB`}</td>
            <td>
              {trial.chosen ? (
                <span className="tag accent">used</span>
              ) : (
                <Button
                  size="compact-xs"
                  aria-label={`Train with it: ${names[trial.text_model] ?? trial.text_model}`}
                  loading={start.isPending}
                  onClick={() => train(trial.text_model)}
                >
                  Train with it
                </Button>
              )}
            </td>
          </tr>
        ))}
      </PlainTable>
      {start.error && <ErrorNote error={start.error} />}
    </div>
  );
}
