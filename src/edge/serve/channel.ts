/** Questions between the processes of a service; who has ended answers none. */
import type { ChildProcess } from 'node:child_process';

type Message = { ask: string; of: unknown[]; number?: number } | { answer: unknown; number: number };
type Port = Pick<ChildProcess, 'send' | 'on'>;
type Handlers = { readonly [name: string]: (...of: never[]) => unknown };

/** Opens a channel to the other process; `handlers` answer what it asks. What `ask` returns stays open if it ends. */
export function openChannel(port: Port, handlers: Handlers) {
  const waiting = new Map<number, (answer: unknown) => void>();
  let count = 0;
  // A process that has gone hears nothing, and its end is seen elsewhere.
  const send = (message: Message) => void port.send(message, () => undefined);
  port.on('message', async (message: Message) => {
    if ('answer' in message) {
      waiting.get(message.number)?.(message.answer);
      waiting.delete(message.number);
      return;
    }
    const answer = await handlers[message.ask]?.(...(message.of as never[]));
    if (message.number !== undefined) send({ answer: answer ?? null, number: message.number });
  });
  return {
    ask<Answer>(name: string, ...of: unknown[]): Promise<Answer> {
      count += 1;
      const number = count;
      return new Promise((resolve) => {
        waiting.set(number, (answer) => resolve(answer as Answer));
        send({ ask: name, of, number });
      });
    },
    tell: (name: string, ...of: unknown[]) => send({ ask: name, of }),
  };
}

export type Channel = ReturnType<typeof openChannel>;
