/** What a training needs from outside, made real: the text model beside the program and ONNX Runtime. */
import { existsSync, statSync } from 'node:fs';
import type { CandidateTextModel, TrainPorts } from '../../src/engine/training/request.ts';
import { sha256 } from '../../src/server/process/clock.ts';
import {
  openEncoder,
  openTuningGraph,
  runModel,
  runtimeVersion,
} from '../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel, openTextModels } from '../../src/server/runtime/encoder/text-model.ts';

export async function openTrainPorts(changes: Partial<TrainPorts> = {}): Promise<TrainPorts> {
  const model = openTextModel();
  return {
    encoder: changes.encoder ?? (await openEncoder(model.encoderPath, model.encoderSha256)),
    tokenizer: model.tokenizer(),
    tokenizerSha256: model.tokenizerSha256,
    runModel,
    runtimeVersion,
    sha256,
    now: () => performance.now(),
    progress: () => undefined,
    ...changes,
  };
}

/** The shipped text models as a training chooses among them, the fastest first. */
export function openCandidates(): Promise<CandidateTextModel[]> {
  return Promise.all(
    openTextModels()
      .toReversed()
      .map(async (model) => ({
        name: model.name,
        languages: model.facts.languages,
        isOwn: model.isOwn,
        sizeMb: (statSync(model.encoderPath).size + statSync(model.tokenizerPath).size) / 1e6,
        encoder: await openEncoder(model.encoderPath, model.encoderSha256),
        tokenizer: model.tokenizer(),
        tokenizerSha256: model.tokenizerSha256,
        baseModel: model.facts.base_model,
        ...(existsSync(model.tuningGraphPath) && { openTuningGraph: () => openTuningGraph(model.tuningGraphPath) }),
      })),
  );
}
