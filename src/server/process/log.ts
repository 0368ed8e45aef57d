/** The program's log: what may be written to it, and the one place where its lines leave the process. */
import { fstatSync, writeSync } from 'node:fs';

/** The log for the parts of the server that know nothing of HTTP. */
export type Log = { warn(facts: object, text: string): void; error(facts: object, text: string): void };

/** Most bytes that wait for a reader of the log; further lines are lost. */
const maxWaitingBytes = 1024 * 1024;
const pinoWarning = 40;

/** Opens the standard error for the log: never throws or waits; lines that are dropped are counted in the next. */
export function openLogDestination(now: () => number): { write(line: string): void } {
  // Without a listener, whatever else is written there could end the program.
  process.stderr.on('error', () => undefined);
  const writeText = isPipe(process.stderr.fd) ? openPipe(process.stderr) : openFile(process.stderr.fd);
  let lostLines = 0;
  return {
    write(line) {
      const notice = lostLines === 0 ? '' : writeNotice(lostLines, now());
      if (writeText(`${notice}${line}`)) lostLines = 0;
      else lostLines += 1;
    },
  };
}

function writeNotice(lostLines: number, time: number): string {
  const msg = `${lostLines} lines of the log were lost.`;
  return `${JSON.stringify({ level: pinoWarning, time, lostLines, msg })}\n`;
}

function isPipe(fd: number): boolean {
  try {
    const kind = fstatSync(fd);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    // A standard error that is closed takes the way of a file, where every line counts as lost.
    return false;
  }
}

/** Writes to a file, a device or a terminal; returns whether the whole text was taken. */
function openFile(fd: number): (text: string) => boolean {
  let isLineOpen = false;
  return (text) => {
    // A line cut off by an earlier failure must not run into this one.
    const bytes = Buffer.from(isLineOpen ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written);
      isLineOpen = false;
      return true;
    } catch {
      isLineOpen ||= written > 0;
      return false;
    }
  };
}

/** Writes to a pipe without waiting for its reader; returns whether there was room for the text. */
function openPipe(stream: NodeJS.WriteStream): (text: string) => boolean {
  return (text) => {
    if (!stream.writable || stream.writableLength > maxWaitingBytes) return false;
    stream.write(text);
    return true;
  };
}
