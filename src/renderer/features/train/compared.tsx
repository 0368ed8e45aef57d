/** Figures of a training side by side: of ways to read texts, and of the examples an answer needs to stand alone. */
import { Button } from '@mantine/core';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { decimal, milliseconds, percent } from '../../parts/text/figures.ts';
import { useChange } from '../../state/queries.ts';

type Metrics = NonNullable<OutputOf<'policies.get'>['metrics']>;
type Trial = NonNullable<Metrics['text_models']>[number];

type Props = { policy: OutputOf<'policies.get'>; names: Readonly<Record<string, string>> };

/** Shows each of these as a card, where there was something to choose. */
export function Compared({ policy, names }: Props) {
  const rare = policy.metrics?.rare_options;
  return (
    <>
      <TextModels policy={policy} names={names} />
      {rare && <RareAnswers rare={rare} />}
    </>
  );
}

/** Says what becomes of answers with few examples, and of all unseen ones under each minimum that was open. */
function RareAnswers({ rare: { minima, sentence } }: { rare: NonNullable<Metrics['rare_options']> }) {
  const [first] = minima;
  const show = ({ share }: { share: number | null }) => (share === null ? '–' : percent(share));
  return (
    <Part title="Rare answers" tools={first && <span className="muted">on {first.accuracy.of} unseen examples</span>}>
      <details>
        <summary>From how many examples on they are decided alone</summary>
        {first && (
          <PlainTable
            label="From how many examples on an answer is decided alone"
            heads={[
              'Decided alone',
              { name: 'Correct', says: 'Automated or not.' },
              { name: 'Automated', says: 'The share that needs no review.' },
              { name: 'Of these wrong', says: 'Of the automated ones.' },
              { name: 'Choice', isHidden: true },
            ]}
          >
            {minima.map(({ min_per_option, accuracy, automatic, error_automatic, chosen }) => (
              <tr key={min_per_option}>
                <td>from {min_per_option} examples on</td>
                <td className="number">{show(accuracy)}</td>
                <td className="number">{show(automatic)}</td>
                <td className="number">{show(error_automatic)}</td>
                <td>{chosen && <span className="tag accent">used</span>}</td>
              </tr>
            ))}
          </PlainTable>
        )}
        <p className="muted">{sentence}</p>
      </details>
    </Part>
  );
}

/** Shows what texts could be read by; one press trains with another way. A policy that decides stays. */
function TextModels({ policy, names }: Props) {
  const start = useChange('training.start');
  const { metrics, training_config: config, decision_type_id: typeId } = policy;
  const trials = metrics?.text_models ?? [];
  const chosen = trials.find((trial) => trial.chosen);
  if (chosen === undefined) return null;
  const train = (text_model: Trial['text_model']) =>
    start.mutate({ params: { decision_type_id: typeId }, body: { ...config, text_model, auto_deploy: false } });
  return (
    <Part
      title="How texts are read"
      tools={<span className="muted">on {chosen.rows} training examples, each judged unseen</span>}
    >
      <PlainTable
        label="What texts are read by"
        heads={[
          'Read by',
          { name: 'Correct', says: 'By classifiers that had not seen the example.' },
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
    </Part>
  );
}
