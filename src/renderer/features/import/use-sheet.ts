import { useEffect, useRef, useState } from 'react';
import { useUi } from '../../workbench.tsx';
import type { ReadAnswer } from './read-file.worker.ts';
import type { Sheet } from './sheet.ts';

export type SheetState =
  | { kind: 'none' }
  | { kind: 'reading'; name: string; cancel(): void }
  | { kind: 'read'; name: string; sheet: Sheet }
  | { kind: 'failed'; name: string; message: string };

/** Reads a file in a worker of its own. */
async function readInWorker(file: File, worker: Worker): Promise<ReadAnswer> {
  const buffer = await file.arrayBuffer();
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<ReadAnswer>) => resolve(data);
    worker.onerror = (event) => resolve({ ok: false, message: event.message || 'The file could not be read.' });
    worker.postMessage({ name: file.name, buffer }, [buffer]);
  });
}

/** The file that was dropped or chosen, read as it comes. */
export function useSheet() {
  const dropped = useUi((state) => state.file);
  const takeFile = useUi((state) => state.takeFile);
  const [state, setState] = useState<SheetState>({ kind: 'none' });
  const running = useRef<Worker | null>(null);
  const read = (file: File) => {
    running.current?.terminate();
    const worker = new Worker(new URL('./read-file.worker.ts', import.meta.url), { type: 'module' });
    running.current = worker;
    const cancel = () => {
      worker.terminate();
      setState({ kind: 'none' });
    };
    setState({ kind: 'reading', name: file.name, cancel });
    void readInWorker(file, worker).then((answer) => {
      worker.terminate();
      if (running.current !== worker) return;
      setState(
        answer.ok
          ? { kind: 'read', name: file.name, sheet: answer.sheet }
          : { kind: 'failed', name: file.name, message: answer.message },
      );
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is read once, when it comes
  useEffect(() => {
    if (!dropped) return;
    takeFile(null);
    read(dropped);
  }, [dropped]);
  useEffect(() => () => running.current?.terminate(), []);
  return { state, read, clear: () => setState({ kind: 'none' }) };
}
