/** What decides: the compiled policies, the text model, and who may be asked where a policy is not sure. */
import type { ModelConnections } from '../connections/model-connections.ts';
import type { CommitQueue } from '../store/commit-queue.ts';
import type { DeployedDeciders } from './deployed-deciders.ts';
import type { EncoderHost } from './encoder-host.ts';
import type { InputChecks } from './input-checks.ts';
import type { LabellingLeases } from './labelling-leases.ts';
import type { LabellingModels } from './labelling-models.ts';
import type { TextModel } from './text-model.ts';

export type Runtime = {
  deployed: DeployedDeciders;
  /** Written checks of input schemas, for the deciders. */
  inputChecks: InputChecks;
  /** Records decisions; an answer leaves when its record is durable. */
  decisions: CommitQueue;
  encoderHost: EncoderHost;
  textModel: TextModel;
  modelConnections: ModelConnections;
  labellingModels: LabellingModels;
  /** Who was given which examples to label. */
  leases: LabellingLeases;
};
