/** The dialog that turns words, a search or filters of examples into a hint. */
import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { foldCase } from '../../../../engine/code-points.ts';
import type { Rule } from '../../../../engine/domain/definition.ts';
import { type TableRow, toCondition } from '../../../../engine/rules/analysis/table.ts';
import type { FieldTest } from '../../../../server/contract/examples/examples.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { FormDialog } from '../../../parts/form.tsx';
import { type SeenFields, useSeenFields } from '../../../parts/hooks/use-seen-fields.ts';
import { OptionSelect } from '../../../parts/option.tsx';
import { count } from '../../../parts/text/figures.ts';
import { isolate } from '../../../parts/text/names.ts';
import { appendRule, type toSettingsCall } from '../../../state/drafts.ts';
import { change, useOperation } from '../../../state/queries.ts';
import { useDraft } from '../../../state/use-draft.ts';
import { useUndo } from '../../../state/use-undo.ts';
import { useWorkbench } from '../../../state/workbench.ts';
import { describeTest } from './field-tests.ts';

type SettingsCall = ReturnType<typeof toSettingsCall>;
/** Characters of the words of a hint, which name it. */
const maxWords = 60;
/** Labelled rows that are read to find out what the others probably are. */
const maxRead = 20;

function toTests(path: string[], { min, max, above, below, one_of, contains, empty }: FieldTest): TableRow[] {
  const compare = (test: '>=' | '<=' | '>' | '<', value: number | string | undefined): TableRow[] =>
    value === undefined ? [] : [{ path, test, value }];
  return [
    ...compare('>=', min),
    ...compare('<=', max),
    ...compare('>', above),
    ...compare('<', below),
    ...(one_of ? [{ path, test: 'in' as const, value: one_of }] : []),
    ...(contains === undefined ? [] : [{ path, test: 'mentions' as const, value: [foldCase(contains)] }]),
    ...(empty === undefined ? [] : [{ path, test: empty ? ('empty' as const) : ('filled' as const) }]),
  ];
}

/** The condition that finds the rows of a search and filters; '' if there are none. */
function writeCondition(search: string, tests: readonly FieldTest[], seen: SeenFields): string {
  const words = [...seen.values()]
    .filter(({ types }) => types.includes('text'))
    .map(({ path }) => toCondition([{ path, test: 'mentions', value: [foldCase(search)] }]));
  const filters = tests.flatMap((test) => toTests(seen.get(test.field)?.path ?? test.field.split('.'), test));
  const parts = [words.length > 1 ? `(${words.join(' || ')})` : (words[0] ?? ''), toCondition(filters)];
  return (search === '' ? parts.slice(1) : parts).filter((part) => part !== '').join(' && ');
}

type HintDialogProps = {
  type: DecisionType;
  search: string;
  tests: readonly FieldTest[];
  /** The filters of the table, as a list of examples takes them. */
  filter: { fields?: string };
  onClose(): void;
};

/** Makes a hint of some words and the filters of the table: it teaches the next training, and decides nothing. */
export function HintDialog({ type, search, tests, filter, onClose }: HintDialogProps) {
  const workbench = useWorkbench();
  const [words, setWords] = useState(() => (search.trim() || String(getSelection() ?? '').trim()).slice(0, maxWords));
  const [chosen, setChosen] = useState<string | null>(null);
  const { noteDone } = useUndo(type.id);
  const { draft, history, edit } = useDraft(type);
  const making = useMutation({ mutationFn: (call: SettingsCall) => change(workbench, call.name, call.input) });
  const condition = writeCondition(words.trim(), tests, useSeenFields(type.id));
  const query = { ...filter, search: words.trim(), labelled: false, page_size: 1 };
  const { data } = useOperation(
    'examples.list',
    { params: { decision_type_id: type.id }, query },
    { enabled: condition !== '' },
  );
  const labelled = useOperation(
    'examples.list',
    { params: { decision_type_id: type.id }, query: { ...query, labelled: true, page_size: maxRead } },
    { enabled: condition !== '' },
  );
  // Where all rows with a label agree, theirs is what the others probably are.
  const [likely = null, ...others] = new Set(labelled.data?.items.map((row) => row.expected_decision));
  const then = chosen ?? (others.length === 0 ? likely : null);
  const { hard_rules: rules, options } = type.active_version;
  const make = () => {
    if (then === null || condition === '') return;
    const name = [...(words.trim() === '' ? [] : [words.trim()]), ...tests.map(({ field }) => field)].join(', ');
    const hint = { condition, then, reason_code: null, hint: true };
    const toCall = (hard_rules: Rule[]): SettingsCall => ({
      name: 'decision_types.update',
      input: { params: { decision_type_id: type.id }, body: { hard_rules } },
    });
    const again = toCall(appendRule(rules, hint, name.slice(0, maxWords)));
    making.mutate(again, {
      onSuccess: () => {
        // Rules that are being edited here are saved as a whole.
        if (history) edit({ hard_rules: appendRule(draft.hard_rules, hint, name.slice(0, maxWords)) });
        const rows = data ? ` ${count(data.total, 'row')} without a label` : ' These rows';
        noteDone(
          `Hint “${isolate(name)}”`,
          `The next training takes${rows} for ${isolate(then)}.`,
          toCall(rules),
          again,
        );
        onClose();
      },
    });
  };
  return (
    <FormDialog
      title="A hint for the next training"
      act="Make the hint"
      disabled={condition === '' || then === null}
      isPending={making.isPending}
      error={making.error}
      onSubmit={make}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Rows that mention"
        value={words}
        maxLength={maxWords}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      {tests.map((test) => (
        <p key={test.field}>and {describeTest(test)}</p>
      ))}
      <OptionSelect label="are probably" options={options} value={then} onValue={setChosen} />
      <p className="muted" role="status">
        {condition !== '' && data && `${count(data.total, 'row')} without a label. `}A hint teaches and decides nothing.
      </p>
    </FormDialog>
  );
}
