/** `workbench text-model`: text models of the user's own. */
import path from 'node:path';
import { defineCommand, endCodes, refuse } from './command.ts';
import { withFetchedPackage } from './fetch-package.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

const help = `workbench text-model [list | add FOLDER | fetch ADDRESS --sha256 DIGEST | remove NAME] [--name NAME] [--data-dir DIR]
Text models by which types may be read, beside those of the program. A training with text_model auto also tries them.

  add FOLDER       a folder with encoder.onnx, tokenizer.json and LICENSE; encoder.json, golden.json, NOTICE and SHA256SUMS
                   are used if present. The model is tested, then copied into the data folder
  fetch ADDRESS    the same from a package (.tgz) at an address that begins with https://
  --sha256 DIGEST  what is fetched must have this digest, which SHA256SUMS of a release lists; else nothing is taken
  remove NAME      one that was added, unless a deployed policy reads by it
  --name NAME      what it is to be called (as its folder or its file)
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const textModelCommand = defineCommand(
  help,
  { 'data-dir': { type: 'string' }, name: { type: 'string' }, sha256: { type: 'string' } },
  async ({ values, operands }, { env, say, answer, signal }) => {
    const [act = 'list', operand = ''] = operands;
    const acts = ['list', 'add', 'fetch', 'remove'];
    const isWhole = (act === 'list') === (operand === '') && (act === 'fetch') === (values.sha256 !== undefined);
    if (!acts.includes(act) || !isWhole) {
      throw refuse('Say list, add FOLDER, fetch ADDRESS --sha256 DIGEST or remove NAME. See --help.');
    }
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      const add = async (folder: string, name = values.name) => {
        say('Reading and trying the text model…');
        const { notes, ...added } = await client.call('text_models.add', { body: { folder, ...(name && { name }) } });
        for (const note of notes) say(note);
        await answer(added);
      };
      if (act === 'add') await add(path.resolve(operand));
      else if (act === 'fetch') {
        say(`Fetching ${operand}…`);
        const wanted = { address: operand, digest: values.sha256 ?? '', signal, say };
        const name = values.name ?? path.posix.basename(operand).replace(/-\d.*$|\.tgz$/, '');
        await withFetchedPackage(wanted, (folder) => add(folder, name));
      } else if (act === 'remove') {
        await client.call('text_models.delete', { params: { text_model: operand } });
        await answer({ removed: operand });
      } else {
        for (const model of await client.call('text_models.list', {})) await answer(model);
      }
      return endCodes.done;
    });
  },
  2,
);
