import { isBareFallback } from '../../../engine/decide/compose-decision.ts';
import type { DecideResponse } from '../../../server/contract/deciding/decisions.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Bars } from '../../parts/bars.tsx';
import { Likelihoods } from '../../parts/explained/likelihoods.tsx';
import { RuleTraces } from '../../parts/explained/rule-trace.tsx';
import { FieldWeights, listCauses } from '../../parts/explained/weights.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Part } from '../../parts/notes.tsx';
import { OptionMark } from '../../parts/option.tsx';
import { decimal, milliseconds, number, percent } from '../../parts/text/figures.ts';
import { isolate, quoteNames, showUnseen } from '../../parts/text/names.ts';

/** The threshold that a decision has met, as the decider's own sentence has it. */
const metThreshold = /at or above the automatic threshold (\S+)\.$/;

/** A longer name in the largest type would leave no room for what speaks for it. */
const maxLargeCharacters = 40;
const maxOptions = 12;
const maxUnread = 5;
type Trace = NonNullable<DecideResponse['trace']>;

/** A decision with probabilities, rules and contributions. */
export function Answer({ type, answer }: { type: DecisionType; answer: DecideResponse }) {
  const { trace, unread = [] } = answer;
  return (
    <>
      <div className="part stack">
        <p
          className={`${answer.decision.length > maxLargeCharacters ? 'question' : 'answer'} row`}
          data-testid="decision"
        >
          <OptionMark typeId={type.id} option={answer.decision} />
          {showUnseen(answer.decision)}
        </p>
        <p className="wrap">
          <HowSure answer={answer} />
        </p>
        <div className="row">
          {answer.unfamiliar && <span className="tag bad">unfamiliar input</span>}
          {answer.escalate && <span className="tag warn">needs review</span>}
          {answer.fallback_used && <span className="tag warn">fallback</span>}
          {answer.reason_codes.map((code) => (
            <span key={code} className="tag">
              {isolate(code)}
            </span>
          ))}
          <span className="muted small">
            {answer.policy_version} ·{' '}
            <Figure says="The time from the call to its answer, in the server.">
              {milliseconds(answer.latency_ms)}
            </Figure>
          </span>
        </div>
        {unread.length > 0 && (
          <p className="note warn wrap">Not read: {unread.slice(0, maxUnread).map(showUnseen).join('; ')}.</p>
        )}
        <Likelihoods
          typeId={type.id}
          decided={answer}
          says="How likely the classifier thinks each option is."
          limit={maxOptions}
        />
      </div>
      {trace && trace.rules.length > 0 && (
        <Part title="Rules">
          <RuleTraces rules={trace.rules} />
        </Part>
      )}
      {trace && trace.features.length > 0 && (
        <Part title="What weighed in">
          <FieldWeights
            causes={listCauses({ trace, confidence: answer.confidence })}
            readings={type.active_version.readings}
          />
        </Part>
      )}
      {trace && trace.familiarity.length > 0 && <Familiarity checks={trace.familiarity} />}
      {trace && trace.reasons.length > 0 && (
        <Part title="Reason codes learned from inputs">
          <Bars
            says="How likely each reason code is, learned from the examples."
            items={[...trace.reasons]
              .sort((a, b) => b.probability - a.probability)
              .map(({ code, probability }) => ({ key: code, name: showUnseen(code), value: probability }))}
          />
        </Part>
      )}
      {trace && trace.truncated.length > 0 && (
        <p className="note warn">
          Cut to the length that the text model reads: {trace.truncated.map(isolate).join(', ')}
        </p>
      )}
    </>
  );
}

function HowSure({ answer }: { answer: DecideResponse }) {
  const explanation = answer.explanation ?? '';
  if (answer.stage === 'rules' || isBareFallback(answer)) return quoteNames(explanation);
  const met = metThreshold.exec(explanation)?.[1];
  return (
    <>
      <strong>
        <Figure says="How likely the decision is right, by the calibrated classifier.">
          {percent(answer.confidence)} sure
        </Figure>
      </strong>
      {met === undefined
        ? `. ${quoteNames(explanation)}`
        : `, by the classifier: automated, as it is from ${number(Number(met) * 100)}% on.`}
    </>
  );
}

const familiarityTexts = {
  words: 'Unusual words',
  embedding: 'Similarity of the meaning to an option',
  nearest: 'Similarity of the meaning to the nearest example',
  fields: 'Values outside the examples',
} as const;

function Familiarity({ checks }: { checks: Trace['familiarity'] }) {
  return (
    <Part title="Familiarity">
      <ul className="stack tight">
        {checks.map(({ check, score, limit, familiar, outside }) => (
          <li key={check}>
            <span className={familiar ? 'tag good' : 'tag bad'}>{familiar ? 'familiar' : 'unfamiliar'}</span>{' '}
            {familiarityTexts[check]}:{' '}
            <Figure
              className="wrap"
              says="The measure of this input, and the limit within which an input counts as familiar."
            >
              {check === 'fields'
                ? outside.map((name) => `“${isolate(name)}”`).join(', ') || 'none'
                : `${decimal(score, 3)} (${check === 'words' ? 'at most' : 'at least'} ${decimal(limit, 3)})`}
            </Figure>
          </li>
        ))}
      </ul>
    </Part>
  );
}
