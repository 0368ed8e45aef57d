/** The desktop program is quit while a client stalls. */
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { closeServerBeforeQuit } from '../../src/main/quit.ts';
import { startWorkbench } from '../../src/server/start.ts';
import { temporaryFolder } from '../server/workbench.ts';

/** Quits as Electron does: a listener may keep the program from ending. */
class DesktopApp extends EventEmitter {
  /** By what the program ended; null while it runs. */
  ending: 'quit' | 'exit' | null = null;
  quit(): void {
    let isPrevented = false;
    this.emit('will-quit', {
      preventDefault() {
        isPrevented = true;
      },
    });
    if (!isPrevented) this.ending ??= 'quit';
  }
  exit(): void {
    this.ending ??= 'exit';
  }
}

async function openWithStalledClient() {
  const workbench = await startWorkbench({ dataDir: temporaryFolder(), port: 0, rendererDir: temporaryFolder() });
  const app = new DesktopApp();
  closeServerBeforeQuit(app, workbench);
  const client = connect(Number(new URL(workbench.url).port), '127.0.0.1');
  client.on('error', () => undefined);
  onTestFinished(() => void client.destroy());
  client.write('POST /api/v1/decide HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"a');
  await once(client, 'connect');
  await fetch(`${workbench.url}/health`);
  return { app, workbench };
}

const isGone = (url: string) =>
  fetch(`${url}/health`).then(
    () => false,
    () => true,
  );

it('quitting ends the server within 5 s whatever clients do, and then the program', async () => {
  const { app, workbench } = await openWithStalledClient();
  const started = performance.now();
  app.quit();
  expect(app.ending).toBe(null);
  await expect.poll(() => app.ending).toBe('quit');
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(await isGone(workbench.url)).toBe(true);
});

it('quitting a second time ends the program at once', async () => {
  const { app, workbench } = await openWithStalledClient();
  app.quit();
  app.quit();
  expect(app.ending).toBe('exit');
  await expect.poll(() => isGone(workbench.url)).toBe(true);
});
