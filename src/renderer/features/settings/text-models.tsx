/** Settings: the text models of the program, and those of one's own. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { nameLanguage } from '../../../engine/text/languages.ts';
import type { TextModelEntry } from '../../../server/contract/upkeep/upkeep.ts';
import { Form } from '../../parts/form.tsx';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { isolate } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';

/** The text models that trainings choose among; those of one's own are added from a folder and removed. */
export function TextModelSettings() {
  const models = useOperation('text_models.list', {});
  const remove = useChange('text_models.delete');
  return (
    <div className="stack">
      <p>
        Texts are read by one of these, or by their words alone. A training finds out by itself which suits its
        examples; a bundle carries the one that its policy uses.
      </p>
      {models.isPending && <Busy>Looking for text models…</Busy>}
      {models.isError && <ErrorNote error={models.error} retry={() => void models.refetch()} />}
      {models.data && (
        <PlainTable
          label="Text models"
          heads={[
            'Name',
            'Made from',
            'Languages',
            { name: 'Size', says: 'What it adds to a bundle, before compression.' },
            { name: 'Actions', isHidden: true },
          ]}
        >
          {models.data.map((model) => (
            <tr key={model.name}>
              <td>{model.name}</td>
              <td className="wrap">{isolate(model.base_model)}</td>
              <td>{describeLanguages(model)}</td>
              <td className="number">{Math.round(model.size_mb)} MB</td>
              <td className="number">
                {model.own && (
                  <Button
                    size="compact-xs"
                    aria-label={`Remove ${model.name}`}
                    loading={remove.isPending}
                    onClick={() => remove.mutate({ params: { text_model: model.name } })}
                  >
                    Remove
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
      {remove.isError && <ErrorNote error={remove.error} />}
      <Part title="Add a text model">
        <AddForm />
      </Part>
    </div>
  );
}

const describeLanguages = ({ languages }: TextModelEntry) =>
  languages.length === 0 ? 'not known' : languages.map(nameLanguage).sort().join(', ');

function AddForm() {
  const [folder, setFolder] = useState('');
  const add = useChange('text_models.add');
  return (
    <Form onSubmit={() => add.mutate({ body: { folder: folder.trim() } }, { onSuccess: () => setFolder('') })}>
      <TextInput
        label="Folder"
        description="The full path of a folder on this machine with encoder.onnx, tokenizer.json and LICENSE. It is tried and copied."
        value={folder}
        onChange={(event) => setFolder(event.currentTarget.value)}
        maxLength={1_000}
      />
      {add.error && <ErrorNote error={add.error} />}
      {add.data && (
        <div className="note good" role="status">
          {isolate(add.data.name)} was added. {add.data.notes.join(' ')}
        </div>
      )}
      <Button variant="filled" type="submit" disabled={folder.trim() === ''} loading={add.isPending}>
        Add
      </Button>
      {add.isPending && <Busy>Reading and trying the text model…</Busy>}
    </Form>
  );
}
