import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Receipt, Receipts } from '../services/receipts.ts';

/** Name of the header as requests carry it. */
export const keyHeader = 'idempotency-key';

/** Does a call with an Idempotency-Key by `run`, or replays its answer. Rejects as `Receipts.begin`. */
export async function answerOnce<Answer>(
  receipts: Receipts,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (receipt: Receipt) => Answer | Promise<Answer>,
): Promise<Answer | string> {
  const { caller, method, url, body } = request;
  if (caller === null) throw new Error('An authorised request has no caller.');
  const begun = receipts.begin(caller, { key: String(request.headers[keyHeader]), method, url, body });
  if ('answer' in begun) {
    reply.header('idempotency-replayed', 'true');
    reply.type('application/json; charset=utf-8');
    return begun.answer;
  }
  try {
    return await run(begun.receipt);
  } finally {
    begun.receipt.finish();
  }
}
