/** Files on their way to the browser's downloads. */
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Client } from '../../server/contract/client.ts';
import { useWorkbench } from '../state/workbench.ts';

/** Hands a file to the browser's downloads. */
export function saveFile(blob: Blob, fileName: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  document.body.append(link);
  link.click();
  link.remove();
  // The download reads the address after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

type ServedFile = Awaited<ReturnType<Client['download']>>;

/**
 * Saves what `ask` is answered with, under `name` where the server gives none, unless it is stopped first; `onError`
 * is called even after the part is gone.
 */
export function useDownload(
  name: string,
  ask: (client: Client, signal: AbortSignal) => Promise<ServedFile>,
  onError?: (error: Error) => void,
) {
  const { client } = useWorkbench();
  const running = useRef<AbortController>(undefined);
  const { isPending, error, data, mutate, reset } = useMutation({
    mutationFn: async () => {
      running.current = new AbortController();
      const { blob, fileName } = await ask(client, running.current.signal);
      const saved = { name: fileName ?? name, bytes: blob.size };
      saveFile(blob, saved.name);
      return saved;
    },
    ...(onError && { onError }),
  });
  return {
    isPending,
    error,
    saved: data,
    run: (onSaved?: (saved: { name: string }) => void) => mutate(undefined, { ...(onSaved && { onSuccess: onSaved }) }),
    stop: () => {
      running.current?.abort();
      reset();
    },
  };
}
