/** What labelling tools and logs of language models write, over REST: it comes in with its labels and nothing else. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openForAll, sendForm } from '../workbench.ts';

const folder = path.join(import.meta.dirname, '../../fixtures/cases');
const bench = openForAll();
const newName = () => crypto.randomUUID();

/** Imports a file into a new type as it is found, and gives the answer. */
async function importFile(file: string, options: string[]) {
  const name = `type ${newName()}`;
  const { id } = (await bench.call('POST', '/decision-types', { name, options })).body;
  const bytes = new File([readFileSync(path.join(folder, file))], path.basename(file));
  const { status, body } = await sendForm(bench.call, `/decision-types/${id}/examples/import`, bytes, {
    commit: 'true',
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

type Imported = { first_examples: { expected_decision: string | null }[] };
const countLabels = ({ first_examples }: Imported) => {
  const labels = first_examples.flatMap(({ expected_decision }) => expected_decision ?? []);
  return Object.fromEntries([...Map.groupBy(labels, (label) => label)].map(([label, { length }]) => [label, length]));
};

const byOption = { praise: 3, complaint: 2 };

describe('an export of a labelling tool', () => {
  it('the exports of five labelling tools come in with their labels [FIL-33]', async () => {
    const plain = ['label-studio.json', 'doccano.jsonl', 'argilla.json', 'argilla-flat.jsonl', 'prodigy.jsonl'];
    const exports = [...plain, 'labelbox.ndjson'];
    for (const file of exports) {
      const body = await importFile(`labelling-exports/${file}`, ['praise', 'complaint']);
      expect([file, countLabels(body), body.examples, body.answer]).toEqual([file, byOption, 6, 'label']);
      expect(body.first_examples[0].input_payload.text).toBe('The room was clean and quiet.');
      const keys = new Set(
        body.first_examples.flatMap(({ input_payload }: { input_payload: object }) => Object.keys(input_payload)),
      );
      expect(['text', 'hotel', 'id', 'meta']).toEqual(expect.arrayContaining([...keys]));
    }
    const short = await importFile('labelling-exports/label-studio-min.json', ['praise', 'complaint']);
    expect([countLabels(short), short.answer]).toEqual([{ praise: 3, complaint: 3 }, 'sentiment']);
    const binary = await importFile('labelling-exports/prodigy-binary.jsonl', ['PRAISE', 'not PRAISE']);
    expect(countLabels(binary)).toEqual({ PRAISE: 3, 'not PRAISE': 3 });
  });

  it('shows marked parts in words, and never offers them as an input [FIL-33]', async () => {
    const { columns } = await importFile('labelling-exports/label-studio.json', ['praise', 'complaint']);
    const spans = columns.find(({ name }: { name: string }) => name === 'spans');
    expect([spans.samples, spans.left_out]).toEqual([
      ['Berlin [city]'],
      'It was marked while labelling, so no input has it.',
    ]);
    const inputs = columns.filter(({ role }: { role: string }) => role === 'input');
    expect(inputs.map(({ name }: { name: string }) => name)).toEqual(['text', 'hotel']);
    const preview = async (file: string) => {
      const { id } = (await bench.call('POST', '/decision-types', { name: newName(), options: ['a', 'b'] })).body;
      const bytes = new File([readFileSync(path.join(folder, 'labelling-exports', file))], file);
      const { body } = await sendForm(bench.call, `/decision-types/${id}/examples/import`, bytes);
      return body.columns.find(({ name }: { name: string }) => name === 'spans').samples;
    };
    expect(await preview('labelbox.ndjson')).toEqual(['Berlin [city]']);
    expect(await preview('doccano-spans.jsonl')).toEqual(['Zoë [person]; 東京 [city]']);
    expect(await preview('doccano-relations.jsonl')).toEqual(['Ada [person]; Bob [person]']);
    expect(await preview('prodigy-spans.jsonl')).toEqual(['Ada [PERSON]; Berlin [GPE]']);
  });
});

describe('a log of a language model', () => {
  it('gives the answer within an object, its fields, and neither id nor time [FIL-32]', async () => {
    const body = await importFile('json-nested/log.jsonl', ['helpful', 'not']);
    expect([body.answer, countLabels(body)]).toEqual(['label.verdict', { helpful: 10, not: 10 }]);
    expect(body.first_examples[1].input_payload).toEqual({ user: { plan: 'pro', age: 21 } });
    const leftOut = body.columns.map(({ name, left_out }: { name: string; left_out: string | null }) => [
      name,
      left_out,
    ]);
    expect(leftOut).toEqual([
      ['id', 'Looks like an ID, so left out: 20 different values in 20 rows.'],
      ['timestamp', 'It says when the row was written.'],
      ['user.plan', null],
      ['user.age', null],
      ['label.by', 'It stands beside the answer in “label”.'],
      ['label.verdict', null],
    ]);
  });

  it('takes an object that was opened whole where a mapping names it [FIL-32]', async () => {
    const { id } = (await bench.call('POST', '/decision-types', { name: 'whole', options: ['helpful', 'not'] })).body;
    const bytes = new File([readFileSync(path.join(folder, 'json-nested/log.jsonl'))], 'log.jsonl');
    const mapping = JSON.stringify({ decision: 'label.verdict', input: ['user', 'id'] });
    const { body } = await sendForm(bench.call, `/decision-types/${id}/examples/import`, bytes, { mapping });
    expect(body.first_examples[1].input_payload).toEqual({ user: { plan: 'pro', age: 21 }, id: 'r1' });
  });
});
