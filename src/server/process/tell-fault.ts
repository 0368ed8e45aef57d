/** The last words about an unexpected error, before the program ends. */
import { tmpdir } from 'node:os';

/** Remedies for errors of the operating system, by their code. */
const remedies: Record<string, string> = {
  EDQUOT: 'Make room on that disk.',
  EMFILE: 'Allow the program more open files (ulimit -n).',
  ENFILE: 'Close other programs: the machine has no open files left.',
  ENOMEM: 'Close other programs: the machine has no memory left.',
  ENOSPC: 'Make room on that disk.',
};
/** Errors of a place that cannot be used as it is. */
const placeErrors = new Set(['EACCES', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS']);

/** Writes a fault to the standard error: one sentence with the remedy, of the program's own also its place. */
export function tellFault(error: unknown): void {
  process.stderr.write(`${describeFault(error)}\n`);
}

function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return `The program failed: ${String(error)}`;
  const { code, path } = error as NodeJS.ErrnoException;
  const isTemporary = path?.startsWith(tmpdir()) === true;
  if (isTemporary && code !== undefined && (placeErrors.has(code) || code === 'ENOSPC' || code === 'EDQUOT')) {
    return `Temporary files cannot be written (${error.message}). Set TMPDIR to a folder that is writable and has room.`;
  }
  const remedy = code === undefined ? undefined : remedies[code];
  if (remedy !== undefined) return `The system refused (${error.message}). ${remedy}`;
  if (code !== undefined && path !== undefined && placeErrors.has(code)) {
    return `${path} cannot be used (${error.message}). Make it readable and writable for this user, or name another place.`;
  }
  return `The program failed, which is a mistake in it. Report it with these lines:\n${error.stack ?? error.message}`;
}
