/** Who can label examples in place of a person: the connected model, else the labelling model. */

import type { ExampleRecord } from '../../../../engine/examples/fields.ts';
import { hashString } from '../../../../engine/random.ts';
import { askForLabels, type LabellingMaterial } from '../../../connections/remote-labeller.ts';
import type { Foundation } from '../../../foundation.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';

export type Labeller = {
  connection: string | null;
  batchSize: number;
  /**
   * Labels in the order of the examples, or null; `tokens` is what it took. Rejects with `unavailable` or by `signal`.
   */
  label(
    examples: readonly ExampleRecord[],
    signal: AbortSignal,
  ): Promise<{ labels: (string | null)[]; tokens: number }>;
};

const shownPerOption = 4;
const remoteBatch = 10;
const localBatch = 50;

/** Opens a type's labeller: a connected model, shown no `measured` examples, or the labelling model. */
export function openLabeller(
  deps: Foundation,
  type: DecisionTypeRecord,
  labelled: readonly ExampleRecord[],
  measured: ReadonlySet<string>,
  minProbability: number,
): Labeller {
  const { modelConnections } = deps.runtime;
  const connection = modelConnections.findForGeneration(type.organisationId);
  if (connection === null) return openLocalLabeller(deps, type, minProbability);
  const redact = (example: ExampleRecord) => deps.auth.redact(example.input, type.piiFields);
  const { options } = type.activeVersion.definition;
  const others = labelled.filter(({ id }) => !measured.has(id));
  const material: LabellingMaterial = {
    description: type.description,
    options,
    shown: options.flatMap((option) =>
      others
        .filter(({ decision }) => decision === option)
        .slice(0, shownPerOption)
        .map((example) => ({ input: redact(example), decision: option })),
    ),
  };
  const endpoint = modelConnections.toEndpoint(connection);
  return {
    connection: connection.name,
    batchSize: remoteBatch,
    label: (examples, signal) =>
      askForLabels(endpoint, material, examples.map(redact), {
        ...modelConnections.chat,
        signal: AbortSignal.any([modelConnections.chat.signal, signal]),
      }),
  };
}

function openLocalLabeller(deps: Foundation, type: DecisionTypeRecord, minProbability: number): Labeller {
  const { labellingModels, textModel } = deps.runtime;
  return {
    connection: null,
    batchSize: localBatch,
    async label(examples, signal) {
      await labellingModels.readAll(type, signal);
      const suggestions = await labellingModels.suggest(
        type,
        examples.map(({ id }) => id),
      );
      const labels = suggestions.map((each) =>
        each !== null && each.probability >= minProbability ? each.decision : null,
      );
      const tokenizer = textModel.tokenizer();
      const tokens = examples.reduce(
        (sum, { input }, at) => (labels[at] === null ? sum : sum + tokenizer.encode(JSON.stringify(input)).length),
        0,
      );
      return { labels, tokens };
    },
  };
}

/** Up to `count` examples in a fixed pseudo-random order. */
export function drawExamples(examples: readonly ExampleRecord[], count: number): ExampleRecord[] {
  return examples
    .map((example) => ({ example, hash: hashString(example.id) }))
    .sort((a, b) => a.hash - b.hash)
    .slice(0, count)
    .map(({ example }) => example);
}
