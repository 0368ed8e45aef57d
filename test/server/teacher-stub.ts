/** A real HTTP server that speaks the chat-completions protocol and can misbehave in every way that matters. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Asked = {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    model: string;
    messages: { role: string; content: string }[];
    response_format?: { type: string; json_schema: { name: string; schema: unknown } };
  };
};
export type Behaviour = (asked: Asked, response: ServerResponse) => void;

/** Answers with `content` as the assistant's message. */
export const says =
  (content: unknown, totalTokens: number | null = 250): Behaviour =>
  (asked, response) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        model: asked.body.model,
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
        ...(totalTokens === null
          ? {}
          : { usage: { prompt_tokens: totalTokens - 50, completion_tokens: 50, total_tokens: totalTokens } }),
      }),
    );
  };
export const fails =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_asked, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message: 'no' } }));
  };

/** Starts the stub; the behaviours are used in turn, the last one for ever. */
export async function startStub(...behaviours: Behaviour[]): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      };
      asked.push(one);
      behaviours[Math.min(asked.length, behaviours.length) - 1]?.(one, response);
    });
    response.on('error', () => undefined);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}
