/** Writes of this window, which are never taken for somebody else's; others keep 409 and 412. */
import { isJsonObject } from '../../engine/json.ts';
import { ApiError, type Client } from '../../server/contract/client.ts';
import { type InputOf, type OperationName, type OutputOf, operations } from '../../server/contract/operations.ts';
import { relabels } from './changes.ts';

type Ports = {
  /** The state in which this window has read a decision type last; null where it has not. */
  readTag(typeId: string): string | null;
  /** Hears that labels of a type were written otherwise than one by one. */
  onRelabelled(typeId: string): void;
};
function readAnsweredTag(answer: unknown): string | null {
  if (!isJsonObject(answer)) return null;
  const { etag, decision_type: type } = answer;
  return typeof etag === 'string' ? etag : readAnsweredTag(type);
}

const guardsType = (name: OperationName) => {
  const row: { method: string; guardsType?: true } = operations[name];
  return row.guardsType === true && row.method !== 'GET' && name !== 'decision_types.delete';
};

/**
 * A client whose writes follow one another. A state of a type that an edit has read counts as the one after this
 * window's own writes since, each of which was made on the state before it.
 */
export function withOwnWrites(client: Client, { readTag, onRelabelled }: Ports): Client {
  const following = new Map<string, string>();
  const follow = (tag: string): string => {
    const next = following.get(tag);
    return next === undefined ? tag : follow(next);
  };

  async function write<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    { typeId, ifMatch }: { typeId: string; ifMatch: string | undefined },
    signal?: AbortSignal,
  ): Promise<OutputOf<N>> {
    const read = ifMatch ?? readTag(typeId);
    if (read === null) return client.call(name, input, signal);
    const before = follow(read);
    try {
      const output = await client.call(name, { ...input, ifMatch: before }, signal);
      const path = { params: { decision_type_id: typeId }, query: {} };
      const after = readAnsweredTag(output) ?? (await client.call('decision_types.get', path)).etag;
      following.delete(after);
      if (after !== before) following.set(before, after);
      return output;
    } catch (error) {
      // A write that was not bound to a state is made on any.
      const isOther = error instanceof ApiError && error.code === 'precondition_failed';
      if (isOther && ifMatch === undefined) return client.call(name, input, signal);
      throw error;
    }
  }

  return {
    ...client,
    call: async (name, input, signal) => {
      const { params, body, ifMatch }: { params?: unknown; body?: unknown; ifMatch?: string } = input;
      const typeId = isJsonObject(params) ? params['decision_type_id'] : undefined;
      if (typeof typeId !== 'string') return client.call(name, input, signal);
      const output = await (guardsType(name)
        ? write(name, input, { typeId, ifMatch }, signal)
        : client.call(name, input, signal));
      const isDeletion = isJsonObject(body) && body['action'] === 'delete';
      if (relabels.has(name) && !isDeletion) onRelabelled(typeId);
      return output;
    },
  };
}
