/** `workbench verify` of log files, and of logged decisions: what a check of folders does not read. */
import { hash } from 'node:crypto';
import path from 'node:path';
import { LineChain } from '../../../door/line-chain.ts';
import type { InputOf } from '../../contract/operations.ts';
import { verifyLog } from '../../contract/verify-log.ts';
import { commonOptions, defineCommand, endCodes, readShare, refuse, type Surroundings, texts } from '../command.ts';
import { verifySigned } from '../signing/sign.ts';
import { findType, listTypes, requireDataDir, withWorkbench } from '../with-workbench.ts';
import { readLines, sortByAge } from './log-lines.ts';

const maxShown = 20;

/** Decides the log of a folder again, a line of sums a type, and says which records differ or cannot be decided. */
function verifyDecisions(
  dataDir: string,
  typeName: string | undefined,
  share: number,
  { env, signal, answer, say }: Surroundings,
) {
  return withWorkbench(dataDir, env, async (client) => {
    const types = typeName === undefined ? await listTypes(client) : [await findType(client, typeName)];
    let differing = 0;
    let undecidable = 0;
    let shown = 0;
    for (const type of types) {
      const params = { decision_type_id: type.id };
      const readPage = (query: InputOf<'logs.verify'>['query']) =>
        client.call('logs.verify', { params, query }, signal);
      const sums = await verifyLog(readPage, { share, signal }, (items) => {
        for (const { log_id, request_id, message } of items) {
          shown += 1;
          if (shown <= maxShown) say(`${type.name}, record ${log_id} (request ${request_id}): ${message}`);
        }
      });
      differing += sums.differing;
      undecidable += sums.undecidable;
      await answer({ decision_type: type.name, ...sums });
    }
    if (shown > maxShown) say(`and ${shown - maxShown} more.`);
    if (differing > 0) return endCodes.under;
    return undecidable > 0 ? endCodes.refused : endCodes.done;
  });
}

/** Checks the lines of files, oldest first, and whether a digest that was kept is the end of one of them. */
async function verifyLines(files: readonly string[], kept: string | undefined, { say, answer, signal }: Surroundings) {
  const chain = new LineChain((text) => hash('sha256', text));
  let isKept = kept === undefined;
  for (const file of sortByAge(files)) {
    for await (const { number, text, isWhole } of readLines(file)) {
      signal.throwIfAborted();
      // An export is an array with a record a line.
      const line = text?.replace(/,?\r?$/, '') ?? '';
      if (isWhole && /^[[\]]$/.test(line)) continue;
      const fault =
        isWhole || line.endsWith('}') || chain.head === null ? chain.add(line) : 'is not whole: its end is missing';
      if (fault !== null) {
        say(`${path.basename(file)}, line ${number}: it ${fault}.`);
        return endCodes.under;
      }
      isKept ||= chain.head === kept;
    }
  }
  const { counts, head } = chain;
  if (head === null) throw refuse(`${files.join(', ')}: this is no folder, and no line of it is one of a chained log.`);
  if (!isKept) {
    say('No line ends with the digest that was kept: the end is gone, or the lines were written again.');
    return endCodes.under;
  }
  await answer({ ...counts, head });
  return endCodes.done;
}

const help = `workbench verify FILE... [--head DIGEST]
Checks that no line of a log was changed, removed, added or put elsewhere: the files of decision-edge serve --log, or an
export of the log as JSON. The answer has the last line's digest as "head"; kept elsewhere and given as --head, it also
shows an end that was cut and lines that were all written again.

workbench verify FILE... --key PUBLIC
Checks that bundles or other files are as they were signed (workbench sign): PUBLIC is the public key or its file.

workbench verify --decisions [--share SHARE] [--type NAME] [--data-dir DIR]
Decides the log again, each record by the release that decided it: every field is equal, or the record is listed.

  --share SHARE    of the records, drawn at random (1)
  --type NAME      one decision type (all of them)
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it

A line of JSON a type on the standard output. Ends with 0 where all is as it was, 1 where something differs, 2 where a
record cannot be decided as it was: personal fields are masked, it names no release and no version, or its policy's file is not there.
`;

export const verifyCommand = defineCommand(
  help,
  {
    ...commonOptions,
    decisions: { type: 'boolean' },
    ...texts('share', 'head', 'key'),
  },
  async ({ values, operands }, around) => {
    if (values.key !== undefined) return verifySigned(operands, values.key, around);
    if (values.decisions !== true) return verifyLines(operands, values.head, around);
    if (operands.length > 0) throw refuse('With --decisions a log is named by --data-dir and --type.');
    const share = readShare('--share', values.share) ?? 1;
    return verifyDecisions(requireDataDir(values['data-dir'], around.env), values.type, share, around);
  },
  Number.POSITIVE_INFINITY,
);
