/** `workbench import-log`: decisions that bundles made elsewhere come into the log. */
import path from 'node:path';
import { countOf, formatCount } from '../../../engine/numeric.ts';
import type { Client } from '../../contract/client.ts';
import { maxLogLines } from '../../contract/deciding/logs.ts';
import { commonOptions, defineCommand, endCodes, refuse, type Surroundings } from '../command.ts';
import { requireDataDir, withWorkbench } from '../with-workbench.ts';
import { readLines, sortByAge } from './log-lines.ts';

/** Bytes of a call: a body below 100 KiB is read at once, where the workbench answers. */
const maxPartBytes = 96_000;
const maxShown = 20;
const progressMs = 2_000;

type Counts = { files: number; lines: number; added: number; known: number; expired: number; unknown: number };
type Sums = Counts & { refused: number; unfinished: number };
/** Sends the lines of files part by part, and says which were not taken. */
async function importFiles(client: Client, files: readonly string[], { say, signal }: Surroundings): Promise<Sums> {
  const sums: Sums = {
    files: files.length,
    lines: 0,
    added: 0,
    known: 0,
    expired: 0,
    unknown: 0,
    refused: 0,
    unfinished: 0,
  };
  const unknown = new Map<string, number>();
  let saidAtMs = performance.now();
  for (const file of files) {
    const name = path.basename(file);
    let part: { number: number; text: string }[] = [];
    let partBytes = 0;
    const refuse = (number: number, message: string) => {
      sums.refused += 1;
      if (sums.refused <= maxShown) say(`${name}, line ${number}: ${message}.`);
    };
    const send = async () => {
      signal.throwIfAborted();
      const sent = part;
      part = [];
      partBytes = 0;
      if (sent.length === 0) return;
      const answer = await client.call('logs.import', {
        body: { file: name.slice(0, 200), lines: sent.map(({ text }) => text) },
      });
      sums.added += answer.added;
      sums.known += answer.known;
      sums.expired += answer.expired;
      for (const { index, message } of answer.refused) refuse(sent[index]?.number ?? 0, message);
      for (const { decision_type: type, digest, lines } of answer.unknown) {
        sums.unknown += lines;
        const key = `“${type}”, digest ${digest}`;
        if (unknown.has(key) || unknown.size < maxShown) unknown.set(key, (unknown.get(key) ?? 0) + lines);
      }
      if (performance.now() - saidAtMs < progressMs) return;
      saidAtMs = performance.now();
      say(`${name}: ${countOf(sums.lines, 'line')} read, ${countOf(sums.added, 'decision')} added.`);
    };
    for await (const { number, text, isWhole } of readLines(file)) {
      if (!isWhole) {
        sums.unfinished += 1;
        say(`${name} ends within line ${number}, which is left out: it is being written, or a stop came between.`);
        continue;
      }
      sums.lines += 1;
      if (text === null) {
        refuse(number, 'it is longer than a line may be, or not UTF-8');
        continue;
      }
      const bytes = Buffer.byteLength(JSON.stringify(text)) + 1;
      if (partBytes + bytes > maxPartBytes || part.length === maxLogLines) await send();
      part.push({ number, text });
      partBytes += bytes;
    }
    await send();
  }
  if (sums.refused > maxShown) say(`and ${formatCount(sums.refused - maxShown)} more lines were refused.`);
  for (const [release, lines] of unknown) {
    say(
      `${formatCount(lines)} ${lines === 1 ? 'line is' : 'lines are'} of a release that no decision type here has: ${release}. Import its bundle first (workbench import-bundle), or import the file where it was exported.`,
    );
  }
  return sums;
}

const help = `workbench import-log FILE... [--data-dir DIR]
Adds decisions to the log that bundles made elsewhere: the lines of decision-edge serve --log. A line belongs to the
release whose digest it names, and is added once: files may be given again, and while they are written.

  FILE             the log and the older files beside it, as decisions.jsonl*
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it

Lines that are refused, or whose release is not known, are named and left out; the command then ends with 2.
`;

export const importLogCommand = defineCommand(
  help,
  { 'data-dir': commonOptions['data-dir'] },
  async ({ values, operands }, around) => {
    if (operands.length === 0) throw refuse('Name the file, or several.');
    const files = sortByAge(operands);
    return withWorkbench(requireDataDir(values['data-dir'], around.env), around.env, async (client) => {
      const sums = await importFiles(client, files, around);
      await around.answer(sums);
      return sums.refused + sums.unknown === 0 ? endCodes.done : endCodes.refused;
    });
  },
  Number.POSITIVE_INFINITY,
);
