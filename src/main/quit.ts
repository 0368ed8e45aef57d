/** The end of the desktop program. */
import type { Workbench } from '../server/start.ts';

/** The part of `app` that quitting needs. */
type EndingApp = {
  on(event: 'will-quit', listener: (event: { preventDefault(): void }) => void): unknown;
  quit(): void;
  exit(code: number): void;
};

/** Lets the server finish its answers and stop its children before the process ends; quitting twice ends it at once. */
export function closeServerBeforeQuit(app: EndingApp, { close, log }: Pick<Workbench, 'close' | 'log'>): void {
  let isClosing = false;
  let closed = false;
  app.on('will-quit', (event) => {
    if (closed) return;
    if (isClosing) return app.exit(0);
    isClosing = true;
    event.preventDefault();
    void close()
      .catch((err: unknown) => log.error({ err }, 'the program could not be closed in order'))
      .finally(() => {
        closed = true;
        app.quit();
      });
  });
}
