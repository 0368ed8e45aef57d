/** What a training needs from outside, made real: the text model beside the program and ONNX Runtime. */
import type { TrainPorts } from '../../src/engine/training/request.ts';
import { sha256 } from '../../src/server/process/clock.ts';
import { openEncoder, runModel, runtimeVersion } from '../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../src/server/runtime/encoder/text-model.ts';

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
