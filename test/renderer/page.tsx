/** A part of the page over a real server, called without a socket; what a browser keeps lies in memory. */
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, prettyDOM, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { onTestFinished } from 'vitest';
import type { Journal } from '../../src/renderer/api/journal.ts';
import { Look } from '../../src/renderer/app.tsx';
import { createWorkbench } from '../../src/renderer/create-workbench.ts';
import { Frame } from '../../src/renderer/frame/frame.tsx';
import { clearNotices, NoticeLine } from '../../src/renderer/state/notices.tsx';
import { type Workbench, WorkbenchContext } from '../../src/renderer/state/workbench.ts';
import type { Fetch } from '../../src/server/contract/client.ts';
import type { Call } from '../server/workbench.ts';
import { createMemoryJournal } from './memory-journal.ts';

configure({
  // Waits end when what is awaited is there; a busy machine may take its time.
  asyncUtilTimeout: 300_000,
  // Prints the page when the message is read: a query that waits fails many times before it succeeds.
  getElementError: (message, container) =>
    Object.defineProperty(new Error(), 'message', {
      configurable: true,
      get: () => `${message}\n\n${prettyDOM(container)}`,
    }),
});

/** What jsdom does not have and the widgets ask for. */
function completeDom(): void {
  window.matchMedia ??= (media) =>
    ({
      media,
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }) as unknown as MediaQueryList;
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  // Nothing is laid out here: tables that show the rows in sight are told of a window that holds some.
  Object.defineProperties(HTMLElement.prototype, {
    clientWidth: { configurable: true, value: 1_440 },
    clientHeight: { configurable: true, value: 900 },
  });
  Element.prototype.scrollIntoView ??= () => undefined;
  // Fields that grow with their text measure again once a font is here.
  if (!document.fonts) Object.assign(document, { fonts: new EventTarget() });
}

/** A form as browsers write it. */
async function writeForm(form: FormData): Promise<{ bytes: Buffer; type: string }> {
  const boundary = 'form-of-a-page';
  const parts: Buffer[] = [];
  for (const [name, value] of form) {
    const file =
      typeof value === 'string' ? '' : `; filename="${value.name}"\r\nContent-Type: application/octet-stream`;
    const content = typeof value === 'string' ? value : new Uint8Array(await value.arrayBuffer());
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    parts.push(Buffer.from(head), Buffer.from(content as string), Buffer.from('\r\n'));
  }
  return {
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

/** The network of a page whose server is called directly. */
export function fetchFrom(call: Call): Fetch {
  return async (url, init) => {
    const { body } = init;
    const form = body instanceof FormData ? await writeForm(body) : null;
    const sent = form?.bytes ?? (typeof body === 'string' ? body : undefined);
    const ifMatch = new Headers(init.headers).get('if-match');
    const answer = await call(init.method as 'GET', url, sent, {
      ...(form && { 'content-type': form.type }),
      ...(ifMatch !== null && { 'if-match': ifMatch }),
    });
    const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(answer.status === 204 ? null : answer.text, { status: answer.status, headers });
  };
}

/** A storage that is empty at first and shared with nobody. */
export function emptyStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** The parts of a page around a network. */
export function openPage(fetch: Fetch, kept: { journal?: Journal; storage?: Storage } = {}): Workbench {
  completeDom();
  return createWorkbench({
    baseUrl: '',
    fetch,
    storage: emptyStorage(),
    kept: kept.storage ?? emptyStorage(),
    journal: kept.journal ?? createMemoryJournal(),
    windowId: crypto.randomUUID(),
    lead: (listen) => listen(),
    liveWindows: async () => new Set(),
  });
}

/** Shows a part of the page inside a workbench, with what it says in the status line of a type. */
export function show(
  part: ReactNode,
  workbench: Workbench = openPage(() => Promise.reject(new Error('no network'))),
  typeId = '',
) {
  return showAlone(
    <>
      {part}
      <NoticeLine typeId={typeId} />
    </>,
    workbench,
  );
}

function showAlone(part: ReactNode, workbench: Workbench) {
  completeDom();
  return render(
    <WorkbenchContext value={workbench}>
      <QueryClientProvider client={workbench.queries}>
        <Look>{part}</Look>
      </QueryClientProvider>
    </WorkbenchContext>,
  );
}

/** Ends a story: what it has shown, said and kept is gone. */
export function closePage(): void {
  cleanup();
  clearNotices();
  window.localStorage.clear();
  window.location.hash = '';
}

/** Shows the whole window at an address, over a real server. */
export function showWindow(call: Call, hash: string) {
  window.location.hash = hash;
  const workbench = openPage(fetchFrom(call));
  return { workbench, ...showAlone(<Frame />, workbench) };
}

/** Keeps what the page hands to the downloads of the browser. */
export function keepDownloads(): Blob[] {
  const files: Blob[] = [];
  Object.assign(URL, {
    createObjectURL: (file: Blob) => {
      files.push(file);
      return 'blob:here';
    },
    revokeObjectURL: () => undefined,
  });
  // There is nobody who would take the file: the link is not followed.
  const stay = (event: Event) => event.preventDefault();
  document.addEventListener('click', stay);
  onTestFinished(() => document.removeEventListener('click', stay));
  return files;
}
