/** The training of a project: the request that a workbench would make of it, without text models and ONNX Runtime. */
import { strToU8 } from 'fflate';
import { sha256 } from '../edge/sha256.ts';
import { type TrainingConfig, trainingConfigSchema } from '../engine/domain/training.ts';
import { countOpen, noOpenRows, toReadingPlace, toRowContent, toRowNumber } from '../engine/drawn-rows.ts';
import { listIdentifyingFields } from '../engine/features/identifying-fields.ts';
import type { JsonObject } from '../engine/json.ts';
import { listDigested, toSeed } from '../engine/training/digest-rows.ts';
import { readByWords, type TrainPorts } from '../engine/training/request.ts';
import { train } from '../engine/training/train.ts';
import type { Project, TrainedPolicy } from './project.ts';

const tabConfig: TrainingConfig = trainingConfigSchema.parse({ text_model: 'words' });

type Made = { policyId: string; atMs: number; toolVersion: string };

/** Trains a policy, alike for the same rows wherever it runs. Rejects with WorkbenchError. */
export async function trainProject(
  project: Project,
  { policyId, atMs, toolVersion }: Made,
  progress: TrainPorts['progress'],
): Promise<TrainedPolicy> {
  const labelled = project.examples.flatMap(({ decision, ...row }) =>
    decision === null ? [] : [{ ...row, decision }],
  );
  const identifying = listIdentifyingFields(project.examples.map(({ input }) => input));
  const numbers = project.examples.flatMap(({ input, decision }) =>
    decision === null ? [toRowNumber(toRowContent(input, identifying))] : [],
  );
  const open = labelled.some(({ later }) => later) ? countOpen(numbers, []) : noOpenRows;
  const texts = listDigested({
    open,
    hinted: [],
    rows: labelled.map(({ input, decision, reasonCodes, test, later }) => ({
      inputJson: JSON.stringify(input),
      decision,
      firstDecision: null,
      reasonCodesJson: JSON.stringify(reasonCodes),
      source: 'user',
      test,
      later,
    })),
  });
  const snapshotSha256 = sha256(strToU8(texts.join('')));
  const seed = toSeed(snapshotSha256);
  const { bundle, metrics, heldOut } = await train(
    {
      policyId,
      policyVersion: 1,
      decisionType: project.name,
      versionNumber: 1,
      definition: project.definition,
      fallbackOption: null,
      examples: labelled.map((row) => ({ ...row, source: 'user' })),
      config: tabConfig,
      seed,
      toolVersion,
      provenance: { snapshotSha256, node: 'none' },
      createdAt: new Date(atMs).toISOString(),
      identifying,
      open,
      piiFields: project.piiFields,
    },
    { ...readByWords, runtimeVersion: 'without onnxruntime', sha256, now: () => performance.now(), progress },
  );
  const snapshotSize = labelled.length;
  return {
    id: policyId,
    config: tabConfig,
    seed,
    snapshotSha256,
    snapshotSize,
    bundle,
    metrics,
    heldOut,
    completedMs: atMs,
  };
}

/** Learned in some seconds, also where there are 77 answers or the texts are long. */
const most = { rows: 600, characters: 200_000 };
const fewestRows = 100;

/** Takes rows with an answer at random, the same each time; null where these are not far fewer than all. */
export function takeFirstRows(project: Project): Project | null {
  const labelled = project.examples.filter(({ decision }) => decision !== null);
  let characters = 0;
  const examples = sortAtRandom(labelled).filter(({ input }, at) => {
    characters += JSON.stringify(input).length;
    return at < fewestRows || (at < most.rows && characters <= most.characters);
  });
  return 2 * examples.length > labelled.length ? null : { ...project, examples };
}

/** The number of rows with an answer. */
export const countLabelled = ({ examples }: Project): number =>
  examples.filter(({ decision }) => decision !== null).length;

/** Sorts rows by their permanent numbers, so that the first of them stand for all. */
export function sortAtRandom<Row extends { input: JsonObject }>(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, place: toReadingPlace(toRowNumber(toRowContent(row.input, []))) }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}
