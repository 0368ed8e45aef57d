/** `workbench export-examples`: the examples of a decision type as a file. */
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ExampleFormat, exampleFormats, fileKinds } from '../../engine/export/file-kinds.ts';
import { renameDurably, syncFile } from '../process/durable-file.ts';
import { commonOptions, defineCommand, refuse, texts } from './command.ts';
import { findPolicy, findType, requireDataDir, withWorkbench } from './with-workbench.ts';

function chooseFormat(out: string, named: string | undefined): ExampleFormat {
  const ending = path.extname(out).slice(1).toLowerCase();
  const found = exampleFormats.find(
    (format) => (named === undefined ? fileKinds[format].extension : format) === (named ?? ending),
  );
  if (found !== undefined) return found;
  throw refuse(`There is no format "${named ?? ending}". Name one of these by --format: ${exampleFormats.join(', ')}.`);
}

/** Writes what comes to a file, whole or not at all. */
export async function writeFile(out: string, stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const part = `${out}.${process.pid}.part`;
  try {
    await pipeline(stream, createWriteStream(part, { flags: 'wx' }), { signal });
    syncFile(part);
    renameDurably(part, out);
  } catch (cause) {
    rmSync(part, { force: true });
    const isOfFile = cause instanceof Error && 'path' in cause;
    if (!isOfFile) throw cause;
    throw refuse(
      `The file ${out} of --out cannot be written (${cause.message}). Name a file in a folder that is yours.`,
      cause,
    );
  }
}

const help = `workbench export-examples [TYPE] [--out FILE] [--format FORMAT] [--policy VERSION] [--personal]
    [--data-dir DIR]
Writes the examples of a decision type with their labels and all that belongs to them; an import reads them again.

  TYPE             the decision type (the only one there is)
  --out FILE       where they are written (the standard output); a file that lies there is not replaced
  --format FORMAT  ${exampleFormats.join(', ')} (as the file is called; jsonl)
  --policy VERSION only what this policy (v3) was trained and tested on, with the labels of then
  --personal       with the values of personal fields, which are masked otherwise
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const exportExamplesCommand = defineCommand(
  help,
  {
    ...commonOptions,
    ...texts('out', 'format', 'policy'),
    personal: { type: 'boolean' },
  },
  async ({ values, file: typeName }, { env, signal, answer }) => {
    const { out, personal = false } = values;
    const format = chooseFormat(out ?? 'examples.jsonl', values.format);
    if (out !== undefined && existsSync(out))
      throw refuse(`The file ${out} is there already. Name another one by --out.`);
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      const type = await findType(client, values.type ?? typeName);
      const params = { decision_type_id: type.id };
      const query = { format, personal };
      if (out === undefined) {
        const policy = values.policy === undefined ? null : await findPolicy(client, type, values.policy);
        const asked = policy === null ? query : { ...query, policy_id: policy.id };
        const stream = await client.listen('examples.export', { params, query: asked }, signal);
        return pipeline(stream, process.stdout, { signal, end: false });
      }
      if (values.policy === undefined) {
        const { total } = await client.call('examples.stats', { params });
        const stream = await client.listen('examples.export', { params, query }, signal);
        await writeFile(path.resolve(out), stream, signal);
        return answer({ decision_type: type.name, file: out, format, rows: total });
      }
      const { id: policy_id, version } = await findPolicy(client, type, values.policy);
      const { left: rows, ...trained } = await client.call('examples.trained', { params, query: { policy_id } });
      const stream = await client.listen('examples.export', { params, query: { ...query, policy_id } }, signal);
      await writeFile(path.resolve(out), stream, signal);
      return answer({ decision_type: type.name, file: out, format, rows, policy: `v${version}`, ...trained });
    });
  },
);
