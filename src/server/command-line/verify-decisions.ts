/** `workbench verify --decisions`: logged decisions made again by their releases. */
import type { Client } from '../contract/client.ts';
import type { Verified } from '../contract/deciding/logs.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { commonOptions, defineCommand, endCodes, readShare } from './command.ts';
import { findType, listTypes } from './find-by-name.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

const pageSize = 100;
const maxShown = 20;

/** Sums up the verification of one type, page by page, up to the moment at which it began. */
async function verifyType(
  client: Client,
  type: DecisionType,
  share: number,
  signal: AbortSignal,
  tell: (item: Verified['items'][number]) => void,
) {
  const sums = { decision_type: type.name, looked: 0, equal: 0, exact: 0, differing: 0, undecidable: 0 };
  const end_time = new Date().toISOString();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    signal.throwIfAborted();
    const found = await client.call('logs.verify', {
      params: { decision_type_id: type.id },
      query: { page, page_size: pageSize, share, end_time },
    });
    pages = Math.ceil(found.total / pageSize);
    for (const name of ['looked', 'equal', 'exact'] as const) sums[name] += found[name];
    for (const item of found.items) {
      sums[item.reason === 'differs' ? 'differing' : 'undecidable'] += 1;
      tell(item);
    }
  }
  return sums;
}

const help = `workbench verify --decisions [--share SHARE] [--type NAME] [--data-dir DIR]
Decides the log again, each record by the release that decided it: every field is equal, or the record is listed.

  --share SHARE    of the records, drawn at random (1)
  --type NAME      one decision type (all of them)
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it

A line of JSON a type on the standard output. Ends with 0 where all are equal, 1 where a record differs, 2 where one
cannot be decided as it was: personal fields are masked, it names no release, or the file of its policy is not there.
`;

export const verifyDecisionsCommand = defineCommand(
  help,
  { ...commonOptions, decisions: { type: 'boolean' }, share: { type: 'string' } },
  ({ values }, { env, signal, answer, say }) => {
    const share = readShare('--share', values.share) ?? 1;
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      const types = values.type === undefined ? await listTypes(client) : [await findType(client, values.type)];
      let differing = 0;
      let undecidable = 0;
      let shown = 0;
      for (const type of types) {
        const sums = await verifyType(client, type, share, signal, ({ log_id, request_id, message }) => {
          shown += 1;
          if (shown <= maxShown) say(`${type.name}, record ${log_id} (request ${request_id}): ${message}`);
        });
        differing += sums.differing;
        undecidable += sums.undecidable;
        await answer(sums);
      }
      if (shown > maxShown) say(`and ${shown - maxShown} more.`);
      if (differing > 0) return endCodes.under;
      return undecidable > 0 ? endCodes.refused : endCodes.done;
    });
  },
  0,
);
