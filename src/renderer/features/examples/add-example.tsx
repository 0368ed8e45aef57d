import { JsonInput } from '@mantine/core';
import { useState } from 'react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { FormDialog } from '../../parts/form.tsx';
import { OptionSelect } from '../../parts/option.tsx';
import { readJsonText } from '../../parts/text/json-text.ts';
import { useKept } from '../../state/kept.ts';
import { useChange } from '../../state/queries.ts';
import { useWorkbench } from '../../state/workbench.ts';

/** One example written by hand; the text typed is kept until it is added. */
export function AddExample({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const { acts } = useWorkbench();
  const [kept, setKept] = useKept(`example.${type.id}`);
  const text = kept ?? '{\n  \n}';
  const [decision, setDecision] = useState<string | null>(null);
  const create = useChange('examples.create');
  const input = readJsonText(text, 'input');
  const problem = 'problem' in input ? input.problem : undefined;
  const submit = () => {
    if (!('value' in input) || input.value === null) return;
    create.mutate(
      { params: { decision_type_id: type.id }, body: { examples: [{ input: input.value, decision }] } },
      {
        onSuccess: (made) => {
          acts.added(
            type.id,
            made.map(({ id }) => id),
            'Example added',
          );
          setKept(null);
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title="Add example"
      act="Add"
      disabled={problem !== undefined || text.trim() === ''}
      isPending={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <JsonInput
        data-autofocus
        label="Input (JSON)"
        size="xs"
        minRows={8}
        maxRows={16}
        autosize
        value={text}
        onChange={setKept}
        error={problem}
      />
      <OptionSelect
        label="Decision"
        placeholder="No label yet"
        options={type.active_version.options}
        value={decision}
        onValue={setDecision}
      />
    </FormDialog>
  );
}
