/** Questions that only a person can answer before an import, one at a time, with a key for each answer. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { takesKeys, useRowsFocus } from '../../commands/key-focus.ts';
import { Keys, Part } from '../../parts/notes.tsx';
import { count } from '../../parts/text/figures.ts';
import { shorten } from '../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useCommands } from '../../state/use-commands.ts';
import type { Mapping } from './use-mapping.ts';

/** Rows of each of two labels that are shown, and characters of their longest text. */
const shownRows = 2;
const maxShownText = 80;

type Question = {
  key: string;
  title: string;
  says: string;
  sides: { name: string; rows: number }[];
  yes: string;
  no: string;
  /** null while it is open. */
  answered: 'yes' | 'no' | null;
  answer(isYes: boolean): void;
};

/** Shows the first open question, or one that is opened again; answers are kept below it. */
export function QuestionQueue({ mapping }: { mapping: Mapping }) {
  const questions = [
    ...listColumnQuestions(mapping),
    ...listLabelQuestions(mapping),
    ...listPersonalQuestions(mapping),
  ];
  const [opened, setOpened] = useState<string | null>(null);
  const shown =
    questions.find(({ key }) => key === opened) ?? questions.find(({ answered }) => answered === null) ?? null;
  const open = questions.filter(({ answered }) => answered === null);
  const answer = (isYes: boolean) => {
    setOpened(null);
    shown?.answer(isYes);
  };
  useCommands('Import', [
    { id: 'import.yes', title: 'Yes to the question', keys: 'y', enabled: shown !== null, run: () => answer(true) },
    { id: 'import.no', title: 'No to the question', keys: 'n', enabled: shown !== null, run: () => answer(false) },
  ]);
  useRowsFocus(shown?.key ?? null);
  if (questions.length === 0) return null;
  return (
    <Part
      title={open.length === 0 ? 'Questions' : `Question ${questions.length - open.length + 1} of ${questions.length}`}
    >
      <div className="stack">
        {shown && <Asked question={shown} mapping={mapping} onAnswer={answer} />}
        {open.length > 1 && open.every(({ sides }) => sides.length > 0) && (
          <Button
            size="xs"
            onClick={() => {
              const labels = mapping.near.filter(({ is_open }) => is_open).map(({ label }) => label);
              mapping.setTargets(Object.fromEntries(labels.map((label) => [label, { kind: 'add' }])));
            }}
          >
            No to all {open.length}
          </Button>
        )}
        <ul className="stack tight">
          {questions
            .filter(({ key, answered }) => answered !== null && key !== shown?.key)
            .map(({ key, title, answered, yes, no }) => (
              <li key={key} className="row still between">
                <span className="wrap muted">
                  {title} <strong>{answered === 'yes' ? yes : no}</strong>
                </span>
                <Button size="compact-xs" aria-label={`Change: ${title}`} onClick={() => setOpened(key)}>
                  Change
                </Button>
              </li>
            ))}
        </ul>
      </div>
    </Part>
  );
}

type AskedProps = { question: Question; mapping: Mapping; onAnswer(isYes: boolean): void };

function Asked({ question: { title, says, sides, yes, no }, mapping, onAnswer }: AskedProps) {
  return (
    <section className="stack tight asked" aria-label={title} tabIndex={-1} {...takesKeys}>
      <p className="strong wrap question">{title}</p>
      <p className="muted wrap">{says}</p>
      {/* Before the rows, so that the longest names leave the answers in sight. */}
      <div className="row">
        <Button onClick={() => onAnswer(true)}>
          {yes} <Keys keys="Y" />
        </Button>
        <Button onClick={() => onAnswer(false)}>
          {no} <Keys keys="N" />
        </Button>
      </div>
      {sides.length > 0 && (
        <div className="question-sides">
          {sides.map(({ name, rows }) => (
            <div key={name}>
              <strong className="wrap">{showUnseen(name)}</strong> <span className="muted">{count(rows, 'row')}</span>
              <Samples mapping={mapping} label={name} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

/** Shows the longest texts of the first rows with a label. */
function Samples({ mapping: { plan, answer, readRows }, label }: { mapping: Mapping; label: string }) {
  const rows = useQuery({
    queryKey: ['imports.rows', plan.file.name, answer, label],
    queryFn: () => readRows({ label, count: shownRows }),
    gcTime: 0,
  });
  const answerAt = plan.columns.findIndex(({ name }) => name === answer);
  const texts = (rows.data?.rows ?? []).map(({ cells }) => {
    const others = cells.filter((_, column) => column !== answerAt);
    return shorten(
      others.reduce((best, text) => (text.length > best.length ? text : best), ''),
      maxShownText,
    );
  });
  return [...new Set(texts)]
    .filter((text) => text !== '')
    .map((text) => (
      <p key={text} className="wrap small">
        “{showUnseen(text)}”
      </p>
    ));
}

/** Asks of columns that tell the answer, only name the row, or may be a second reader's, what they become. */
function listColumnQuestions({ plan, columns, listOpen, setRole }: Mapping): Question[] {
  const open = listOpen('input');
  return columns.flatMap(({ name, asked, role }): Question[] => {
    const isReader = name === plan.second_reader;
    return asked === null
      ? []
      : [
          {
            key: `column ${name}`,
            title: isReader ? `Is “${isolate(name)}” a second reader’s?` : `Learn from “${isolate(name)}”?`,
            says: asked,
            sides: [],
            yes: isReader ? 'Second reader' : 'Learn from it',
            no: 'Leave it out',
            answered: open.includes(name) ? null : role === 'ignore' ? 'no' : 'yes',
            answer: (isYes) => setRole(name, !isYes ? 'ignore' : isReader ? 'second_reading' : 'input'),
          },
        ];
  });
}

/** Asks whether columns that tell who somebody is become personal fields. */
function listPersonalQuestions({ plan: { personal, pii_fields: fields }, choose }: Mapping): Question[] {
  if (personal.length === 0) return [];
  return [
    {
      key: 'personal',
      title: `Set ${personal.map(isolate).join(', ')} as personal?`,
      says: 'They tell who somebody is. Personal fields are not learned, and the log masks their values.',
      sides: [],
      yes: 'Set as personal',
      no: 'Learn from them',
      answered: fields === null ? null : fields.length > 0 ? 'yes' : 'no',
      answer: (isYes) => choose({ pii_fields: isYes ? personal : [] }),
    },
  ];
}

/** Asks of labels that are written nearly the same whether they are one answer or two. */
function listLabelQuestions({ near, labels, setTargets }: Mapping): Question[] {
  const uses = new Map(labels.map((label) => [label.value, label]));
  const toSide = (name: string) => ({ name, rows: uses.get(name)?.count ?? 0 });
  return near.map(({ label, option, is_open }) => {
    const target = uses.get(label)?.target;
    return {
      key: `label ${label}`,
      title: `Is “${isolate(label)}” the same as “${isolate(option)}”?`,
      says: 'They are written nearly the same.',
      sides: [toSide(label), toSide(option)],
      yes: 'Yes, merge',
      no: 'No, keep both',
      answered: is_open ? null : target?.kind === 'option' && target.option === option ? 'yes' : 'no',
      answer: (isYes) => setTargets({ [label]: isYes ? { kind: 'option', option } : { kind: 'add' } }),
    };
  });
}
