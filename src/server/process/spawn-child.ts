/** Child processes of the server: where their entry files lie and how they are started. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type ChildName = 'encoder-child' | 'labelling-child' | 'worker' | 'data-child' | 'preparation-child' | 'analysis-child';
type SpawnOptions = {
  heapMb: number;
  /** Stands on the child's command line, so that this very process can be recognised later. */
  tag?: string;
};
/** Starts a child with an IPC channel (structured clone). Electron and tests may give their own. */
export type SpawnChild = (name: ChildName, options: SpawnOptions) => ChildProcess;

const sourceFolders: Record<ChildName, string> = {
  'encoder-child': '../runtime/encoder/',
  'labelling-child': '../runtime/labelling/',
  worker: '../jobs/',
  'data-child': '../data-folder/',
  'preparation-child': '../preparation/',
  'analysis-child': '../analysis/',
};

/** Path of a child's entry file: the `.ts` source when run from source, else `<name>.js` beside the built server. */
export function childEntry(name: ChildName, moduleUrl: string = import.meta.url): string {
  const relative = moduleUrl.endsWith('.ts') ? `${sourceFolders[name]}${name}.ts` : `./${name}.js`;
  return fileURLToPath(new URL(relative, moduleUrl));
}

/** Starts `name` by `fork`, its stdout closed: the server's stdout is a machine interface. */
export const spawnChild: SpawnChild = (name, options) =>
  fork(childEntry(name), options.tag === undefined ? [] : [options.tag], {
    serialization: 'advanced',
    // The parent's own flags (inspector, test runner) must not leak into the child; its memory is bounded.
    execArgv: [`--max-old-space-size=${options.heapMb}`, `--max-semi-space-size=${options.heapMb < 256 ? 1 : 16}`],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
