/** `workbench case`: one logged decision as a page for the person who asks why. */
import { writeFileSync } from 'node:fs';
import { caseLanguageSchema, caseLanguages } from '../../../engine/report/case-words.ts';
import type { Client } from '../../contract/client.ts';
import type { DecisionType } from '../../contract/types/decision-types.ts';
import { commonOptions, defineCommand, refuse, texts } from '../command.ts';
import { findType, listTypes, requireDataDir, withWorkbench } from '../with-workbench.ts';

const pageSize = 100;
/** A decision is recorded within this time of its call. */
const callMs = 10 * 60_000;

/** When a request began whose id the workbench made: such an id begins with its time. */
function readTime(requestId: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(requestId) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}

/** Finds the record of a request or of a log id; the newest where several have it, null where none has. */
async function findRecord(client: Client, types: readonly DecisionType[], id: string, signal: AbortSignal) {
  const began = readTime(id);
  const times =
    began === null
      ? {}
      : { start_time: new Date(began - 1_000).toISOString(), end_time: new Date(began + callMs).toISOString() };
  for (const type of types) {
    const params = { decision_type_id: type.id };
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      signal.throwIfAborted();
      const found = await client.call('logs.list', { params, query: { page, page_size: pageSize, ...times } });
      pages = found.pages;
      const record = found.items.find((each) => each.request_id === id || each.id === id);
      if (record !== undefined) return record;
    }
  }
  return null;
}

const help = `workbench case REQUEST_ID [--format html|json] [--language ${caseLanguages.join('|')}] [--out FILE]
                    [--type NAME] [--data-dir DIR]
Writes one logged decision for the person who asks why: what was decided and when, by which rule or main causes, what
would have changed it, who looked, which release, what was known of its errors, and how to contest it.

  REQUEST_ID         of the answer, or the id of the log record
  --format F         html, a page that prints, or json (html)
  --language L       of the page (that of the type's texts where it is one of these, else en)
  --out FILE         where to write it (the standard output)
  --type NAME        the decision type, which shortens the search (all of them)
  --data-dir DIR     data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const caseCommand = defineCommand(
  help,
  { ...commonOptions, ...texts('format', 'language', 'out') },
  async ({ values, file: id }, { env, signal, say }) => {
    const { format = 'html', language, out } = values;
    if (id === undefined) throw refuse('Name the request id of the answer, or the id of the log record.');
    if (format !== 'html' && format !== 'json') throw refuse(`Option --format takes html or json, not "${format}".`);
    const chosen = caseLanguageSchema.optional().safeParse(language);
    if (!chosen.success) throw refuse(`Option --language takes one of ${caseLanguages.join(', ')}, not "${language}".`);
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      const types = values.type === undefined ? await listTypes(client) : [await findType(client, values.type)];
      const record = await findRecord(client, types, id, signal);
      if (record === null) throw refuse(`No logged decision has the request id or log id ${id}.`);
      const { blob } = await client.download('logs.case', {
        params: { decision_type_id: record.decision_type_id, log_id: record.id },
        query: { format, ...(chosen.data === undefined ? {} : { language: chosen.data }) },
      });
      const content = await blob.text();
      if (out === undefined) process.stdout.write(content);
      else {
        writeFileSync(out, content);
        say(`The case of ${id} was written to ${out}.`);
      }
    });
  },
);
