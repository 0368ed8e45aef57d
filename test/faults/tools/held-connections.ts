/** Connections that are held open for nothing. */
import { onTestFinished } from 'vitest';
import { openStubborn } from './server-process.ts';

export const toHostLine = (port: number) => `Host: 127.0.0.1:${port}\r\n`;
const post = 'POST /api/v1/decide HTTP/1.1\r\n';
/** What a connection that is held open has said, by what it looks like. */
export const heldKinds: Record<string, (port: number) => string> = {
  garbage: () => 'x\r\n\r\n',
  silence: () => '',
  'half a header': (port) => `GET /health HTTP/1.1\r\n${toHostLine(port)}X-Slow: `,
  'an idle connection': (port) => `GET /health HTTP/1.1\r\n${toHostLine(port)}\r\n`,
  'a slow body': (port) =>
    `${post}${toHostLine(port)}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"a":`,
  'an end that is never answered': (port) => `GET /health HTTP/1.1\r\n${toHostLine(port)}Connection: close\r\n\r\n`,
};

/** Holds connections open until the test ends. */
export async function holdConnections(port: number, count: number, text: string): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: count }, () => openStubborn(port, text)));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
}
