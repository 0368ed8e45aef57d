/** The labelling child: started when it is asked something; the server embeds its texts. */
import { ChildPool } from '../../process/child-pool.ts';
import type { SpawnChild } from '../../process/spawn-child.ts';
import type { HostedTextModel } from '../encoder/encoder-host.ts';
import type { LabellingOrders } from './labelling-child.ts';
import type { EmbedOrders } from './labelling-messages.ts';

/** The child ends when nobody has asked for this long. */
const idleMs = 15 * 60_000;

export type LabellingProcessOptions = {
  spawn: SpawnChild;
  /** Those of the program, by whose encoders the child has its texts read. */
  textModels: readonly HostedTextModel[];
};

/** Opens a pool of one child, which keeps the models of all types; `onEnd` hears of its end: what it knew is gone. */
export function openLabellingProcess(
  { spawn, textModels }: LabellingProcessOptions,
  onEnd: () => void,
): ChildPool<LabellingOrders> {
  const answers: EmbedOrders = {
    embed: async ({ textModel, texts }) => {
      const encoder = textModels.find(({ model }) => model.name === textModel)?.host.encoder;
      const embedded = encoder && Promise.all(texts.map((ids) => encoder.embed(ids)));
      return (await embedded?.catch(() => null)) ?? null;
    },
  };
  return new ChildPool({
    ...{ spawn, name: 'labelling-child', work: 'reads examples for labelling' },
    ...{ heapMb: 512, maxChildren: 1, ordersPerChild: Number.POSITIVE_INFINITY, idleMs, answers, onEnd },
  });
}
