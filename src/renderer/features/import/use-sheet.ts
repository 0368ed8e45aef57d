/** A chosen file, read into a sheet outside the page's thread. */
import { useEffect, useRef, useState } from 'react';
import type { Readings } from '../../../engine/domain/definition.ts';
import type { WaitingFile } from '../../state/ui.ts';
import { useUi } from '../../state/workbench.ts';
import type { ReadAnswer, ReadOrder, ReadSheet } from './read-sheet.ts';

type SheetState =
  | { kind: 'none' }
  | { kind: 'moved'; file: File }
  | { kind: 'reading'; name: string; cancel(): void }
  | ({ kind: 'read'; from: WaitingFile } & ReadSheet)
  | { kind: 'failed'; name: string; message: string };

/** Whether a file can hold a decision type or a bundle. */
const isMovedFile = ({ name }: File): boolean => /\.zip$/i.test(name);

/** Reads a file in a worker of its own. */
function readInWorker(order: ReadOrder, worker: Worker): Promise<ReadAnswer> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<ReadAnswer>) => resolve(data);
    const refuse = (message: string) => resolve({ ok: false, message: message || 'The file could not be read.' });
    worker.onerror = (event) => refuse(event.message);
    worker.onmessageerror = () => refuse('The file holds more than this browser can take. Import it in several parts.');
    worker.postMessage(order);
  });
}

/** The file that was dropped or chosen, read as it comes, and again where another part of it is chosen. */
export function useSheet(readings: Readings) {
  const waiting = useUi((state) => state.waiting);
  const takeFile = useUi((state) => state.takeFile);
  const [state, setState] = useState<SheetState>({ kind: 'none' });
  const running = useRef<Worker | null>(null);
  const read = (from: WaitingFile) => {
    const { file, choice = {} } = from;
    running.current?.terminate();
    running.current = null;
    if (isMovedFile(file)) return setState({ kind: 'moved', file });
    const worker = new Worker(new URL('./read-file.worker.ts', import.meta.url), { type: 'module' });
    running.current = worker;
    const cancel = () => {
      worker.terminate();
      setState({ kind: 'none' });
    };
    setState({ kind: 'reading', name: file.name, cancel });
    void readInWorker({ file, choice, readings }, worker).then((answer) => {
      worker.terminate();
      if (running.current !== worker) return;
      setState(
        answer.ok
          ? { kind: 'read', from, sheet: answer.sheet, surveys: answer.surveys, languages: answer.languages }
          : { kind: 'failed', name: file.name, message: answer.message },
      );
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is read once, when it comes
  useEffect(() => {
    if (!waiting) return;
    takeFile(null);
    read(waiting);
  }, [waiting]);
  useEffect(() => () => running.current?.terminate(), []);
  return { state, read, clear: () => setState({ kind: 'none' }) };
}
