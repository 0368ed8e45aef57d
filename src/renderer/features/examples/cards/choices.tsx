/** The options of the row at the cursor with their keys, its reason codes, and what leads to one of many options. */

import { Button, MultiSelect, TextInput } from '@mantine/core';
import { type KeyboardEvent, memo, useMemo, useRef, useState } from 'react';
import { foldCase } from '../../../../engine/code-points.ts';
import type { Example } from '../../../../server/contract/examples/examples.ts';
import type { Suggestion } from '../../../../server/contract/examples/labelling.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { leavesFocus } from '../../../commands/key-focus.ts';
import { whenComposed } from '../../../commands/keys.ts';
import { Figure } from '../../../parts/figure.tsx';
import { maxKeyOptions } from '../../../parts/grid/use-row-commands.ts';
import { findLongest, OptionMark, toChoices, useOptionColours } from '../../../parts/option.tsx';
import { number, percent } from '../../../parts/text/figures.ts';
import { showUnseen } from '../../../parts/text/names.ts';
import { useCommands } from '../../../state/use-commands.ts';

/** A likelihood that is shown. */
const leastShown = 0.01;

/** The options that the keys 1 to 9 stand for, of all that hold what is typed, and whether the likeliest come first. */
type ShownOptions = { shown: readonly string[]; text: string; matchCount: number; isRanked: boolean };

/**
 * Up to nine options are shown in their order; of more the likeliest first, and those that hold what is typed. A row
 * keeps the order that it was first shown with: no key changes its meaning under a finger.
 */
export function useShownOptions(
  options: readonly string[],
  exampleId: string | undefined,
  likely: Suggestion['likely'] | undefined,
): ShownOptions & { find(text: string): void } {
  const fresh = { exampleId, likely: likely ?? [], text: '' };
  const [kept, setKept] = useState(fresh);
  const isSorted = options.length > maxKeyOptions;
  const row = !isSorted || kept.exampleId === exampleId ? kept : fresh;
  if (row !== kept) setKept(row);
  const found = useMemo(() => {
    const ordered = isSorted ? [...new Set([...row.likely.map(({ decision }) => decision), ...options])] : options;
    const matches = ordered.filter((option) => holds(option, row.text));
    const isRanked = row.likely.length > 0;
    return { shown: matches.slice(0, maxKeyOptions), text: row.text, matchCount: matches.length, isRanked };
  }, [options, row, isSorted]);
  return { ...found, find: (text) => text !== row.text && setKept({ ...row, text }) };
}

function holds(option: string, words: string): boolean {
  return foldCase(option).includes(foldCase(words.trim()));
}

/** The options as buttons with their keys and how likely each is, a field to find others by, and the reason codes. */
export const Choices = memo(function Choices({
  type,
  example,
  shown,
  text,
  matchCount,
  isRanked,
  suggestion,
  answer,
  onFind,
  onLabel,
  onReasons,
  onLeave,
  onHint,
}: ShownOptions & {
  type: DecisionType;
  example: Example;
  suggestion: Suggestion | null;
  /** The option that Enter answers. */
  answer: string | null;
  onFind(text: string): void;
  /** Labels the example and puts the focus back where the keys act. */
  onLabel(option: string): void;
  onReasons(codes: string[]): void;
  /** Escape leaves a field. */
  onLeave(): void;
  /** Opens the dialog that makes a hint. */
  onHint(): void;
}) {
  const { options: all, reason_codes } = type.active_version;
  const colourOf = useOptionColours(type.id);
  const longest = findLongest(shown);
  // A suggestion that came after the row was shown moves no key: it stands behind the others.
  const late = suggestion && text === '' && !shown.includes(suggestion.decision) ? [suggestion.decision] : [];
  const likelihoods = new Map(suggestion?.likely.map(({ decision, probability }) => [decision, probability]));
  return (
    <div className="stack">
      <div className="choices" style={{ '--longest': longest }}>
        {[...shown, ...late].map((option, index) => (
          <button
            key={option}
            type="button"
            className="choice"
            title={showUnseen(option)}
            aria-pressed={example.expected_decision === option}
            data-suggested={suggestion?.beats_chance && suggestion.decision === option ? true : undefined}
            style={{ '--colour': colourOf(option) }}
            onClick={() => onLabel(option)}
          >
            <kbd>{index < shown.length ? index + 1 : 'Enter'}</kbd>
            <OptionMark typeId={type.id} option={option} />
            <span className="words">{showUnseen(option)}</span>
            <span className="muted number" title="How likely this option is by what was learned so far.">
              {(likelihoods.get(option) ?? 0) >= leastShown && percent(likelihoods.get(option) ?? 0)}
            </span>
          </button>
        ))}
      </div>
      <div className="answer-fields">
        {all.length > maxKeyOptions && (
          <Finder
            all={all}
            shown={shown}
            text={text}
            matchCount={matchCount}
            isRanked={isRanked}
            onFind={onFind}
            onLabel={onLabel}
            onLeave={onLeave}
          />
        )}
        <Reasons known={reason_codes} chosen={example.reason_codes} onReasons={onReasons} onLeave={onLeave} />
      </div>
      <KeyLine {...{ suggestion, answer, onHint }} />
    </div>
  );
});

type KeyLineProps = { suggestion: Suggestion | null; answer: string | null; onHint(): void };

/** The keys of the card on one line, with the model behind the likelihoods. */
function KeyLine({ suggestion, answer, onHint }: KeyLineProps) {
  return (
    <p className="muted small">
      <Button
        size="compact-xs"
        title="Words that tell the answer of many rows, taught to the next training."
        rightSection={<kbd>H</kbd>}
        {...leavesFocus}
        onClick={onHint}
      >
        Hint…
      </Button>{' '}
      {suggestion && <>{sourceNames[suggestion.source]} · </>}
      {answer !== null && <EnterNote answer={answer} suggestion={suggestion} />}
      <kbd>S</kbd> skip · <kbd>F</kbd> flag · <kbd>U</kbd> undo · <kbd>0</kbd> no label · <kbd>V</kbd> reviewed ·{' '}
      <kbd>P</kbd> pin · <kbd>Del</kbd> delete · <kbd>?</kbd> keys
    </p>
  );
}

const sourceNames = {
  policy: 'Likelihoods: deployed policy',
  labelling: 'Likelihoods: labels so far',
  label_check: 'Likelihoods: models that had not seen it',
} as const;
const probabilityOf = {
  policy: 'How likely the deployed policy thinks this option is.',
  labelling: 'How likely the labelling model thinks this option is.',
  label_check: 'How likely models that had not seen the example think this option is.',
} as const;

/** Says what Enter does; the option itself stands out among the others, and is named to those who cannot see it. */
function EnterNote({ answer, suggestion }: { answer: string; suggestion: Suggestion | null }) {
  const isTaken = answer === suggestion?.decision;
  const probability = isTaken ? ` (${percent(suggestion.probability)})` : '';
  const name = <span className="hidden">{`: ${showUnseen(answer)}${probability}`}</span>;
  return (
    <>
      <kbd>Enter</kbd>{' '}
      {isTaken ? <Figure says={probabilityOf[suggestion.source]}>take it{name}</Figure> : <>confirm it{name}</>} ·{' '}
    </>
  );
}

type FinderProps = ShownOptions & {
  all: readonly string[];
  onFind(text: string): void;
  onLabel(option: string): void;
  onLeave(): void;
};

/** A field that leaves the options with what is typed; number keys still choose while typing; Enter picks the first. */
function Finder({ all, shown, text, matchCount, isRanked, onFind, onLabel, onLeave }: FinderProps) {
  const field = useRef<HTMLInputElement>(null);
  useCommands('Label', [{ id: 'option-find', title: 'Find an option', keys: '/', run: () => field.current?.focus() }]);
  const press = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'Escape') {
      onFind('');
      return onLeave();
    }
    // A digit that goes on with a name is part of it.
    const isKey = /^[1-9]$/.test(key) && !all.some((option) => holds(option, text + key));
    if (!isKey && key !== 'Enter') return;
    event.preventDefault();
    const chosen = isKey ? shown[Number(key) - 1] : text === '' ? undefined : shown[0];
    if (chosen !== undefined) onLabel(chosen);
  };
  return (
    <TextInput
      ref={field}
      label={
        <>
          Find one of {number(all.length)} options <kbd>/</kbd>
        </>
      }
      description={
        matchCount === 0
          ? 'No option has this name.'
          : `${number(shown.length)} of ${number(matchCount)} are shown, ${isRanked ? 'the likeliest first' : 'in their own order'}.`
      }
      inputWrapperOrder={['label', 'input', 'description']}
      size="xs"
      value={text}
      onChange={(event) => onFind(event.currentTarget.value)}
      onKeyDown={whenComposed(press)}
    />
  );
}

type ReasonsProps = {
  known: readonly string[];
  chosen: string[];
  onReasons(codes: string[]): void;
  onLeave(): void;
};

/** The reason codes of an example, where its type has any, with the key that leads to them. */
function Reasons({ known, chosen, onReasons, onLeave }: ReasonsProps) {
  const field = useRef<HTMLInputElement>(null);
  useCommands('Label', [
    {
      id: 'row-reasons',
      title: 'Choose the reasons',
      keys: 'r',
      enabled: known.length > 0,
      run: () => field.current?.focus(),
    },
  ]);
  if (known.length === 0) return null;
  return (
    <MultiSelect
      ref={field}
      label={
        <>
          Reasons <kbd>R</kbd>
        </>
      }
      placeholder={chosen.length === 0 ? 'None' : ''}
      data={toChoices([...new Set([...known, ...chosen])])}
      value={chosen}
      onChange={onReasons}
      onKeyDown={whenComposed(({ key }) => key === 'Escape' && onLeave())}
      searchable
      size="xs"
    />
  );
}
