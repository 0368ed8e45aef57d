/** The dialog that turns a search or filter of examples into a hint. */
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { foldCase } from '../../../../engine/code-points.ts';
import { type TableRow, toCondition } from '../../../../engine/rules/analysis/table.ts';
import type { FieldTest } from '../../../../server/contract/examples/examples.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { type SeenFields, useSeenFields } from '../../../parts/hooks/use-seen-fields.ts';
import { OptionSelect } from '../../../parts/option.tsx';
import { showUnseen } from '../../../parts/text/names.ts';
import { appendRule } from '../../../state/drafts.ts';
import { goTo } from '../../../state/route.ts';
import { useDraft } from '../../../state/use-draft.ts';

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

type HintDialogProps = { type: DecisionType; search: string; tests: readonly FieldTest[]; onClose(): void };

/** Makes a hint of the rows that are searched for: a rule of the sheet that teaches and decides nothing. */
export function HintDialog({ type, search, tests, onClose }: HintDialogProps) {
  const { draft, edit } = useDraft(type);
  const [then, setThen] = useState<string | null>(null);
  const condition = writeCondition(search.trim(), tests, useSeenFields(type.id));
  const make = () => {
    if (then === null) return;
    const name = [...(search === '' ? [] : [search]), ...tests.map(({ field }) => field)].join(', ').slice(0, 60);
    edit({ hard_rules: appendRule(draft.hard_rules, { condition, then, reason_code: null, hint: true }, name) });
    goTo({ page: 'type', id: type.id, place: 'rules', query: { rule: String(draft.hard_rules.length) } });
  };
  return (
    <Modal opened title="A hint: these rows are …" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <p className="wrap">
          {condition === '' ? 'Search for words or filter the table first.' : <code>{showUnseen(condition)}</code>}
        </p>
        <OptionSelect label="These rows are" options={draft.options} value={then} onValue={setThen} />
        <p className="muted">A training takes them for it where they have no label. The hint decides nothing.</p>
        <Button type="submit" variant="filled" disabled={condition === '' || then === null}>
          Make the hint
        </Button>
      </form>
    </Modal>
  );
}
