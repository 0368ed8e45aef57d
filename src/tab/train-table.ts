/** The training of a project: the request that a workbench would make of it, without text models and ONNX Runtime. */

import { strToU8 } from 'fflate';
import { sha256 } from '../edge/sha256.ts';
import { type TrainingConfig, trainingConfigSchema } from '../engine/domain/training.ts';
import { countOpen, noOpenRows, toRowContent, toRowNumber } from '../engine/drawn-rows.ts';
import { listIdentifyingFields } from '../engine/features/identifying-fields.ts';
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
