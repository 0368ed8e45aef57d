/** All that decides: compiled policies, the text model, and connected models for inputs where a policy is not sure. */
import type { ModelConnections } from '../connections/model-connections.ts';
import type { CommitQueue } from '../store/deciding/commit-queue.ts';
import type { DeployedDeciders } from './deployed-deciders.ts';
import type { EncoderHost, HostedTextModel } from './encoder/encoder-host.ts';
import type { TextModel } from './encoder/text-model.ts';
import type { LabellingLeases } from './labelling/labelling-leases.ts';
import type { LabellingModels } from './labelling/labelling-models.ts';

export type Runtime = {
  deployed: DeployedDeciders;
  decisions: CommitQueue;
  /** The text model that labelling and generated examples read by, and its encoder. */
  encoderHost: EncoderHost;
  textModel: TextModel;
  /** All that are there; it grows when the user adds one. */
  textModels: HostedTextModel[];
  /** The name of the text model that is being added: one at a time. */
  addedTextModel: string | null;
  modelConnections: ModelConnections;
  labellingModels: LabellingModels;
  leases: LabellingLeases;
};
