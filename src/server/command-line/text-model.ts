/** `workbench text-model`: text models of the user's own. */
import path from 'node:path';
import { defineCommand, refuse, texts } from './command.ts';
import { placeProgramModel, withFetchedPackage } from './fetch-package.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

const help = `workbench text-model [list | add FOLDER | fetch ADDRESS --sha256 DIGEST | remove NAME] [--name NAME] [--data-dir DIR]
Text models by which types may be read, beside those of the program. A training with text_model auto also tries them.

  add FOLDER       a folder with encoder.onnx, tokenizer.json and LICENSE; encoder.json, golden.json, NOTICE and SHA256SUMS
                   are used if present. The model is tested, then copied into the data folder
  fetch ADDRESS    the same from a package (.tgz) at an address that begins with https://; that of a text model of the
                   program goes beside the program
  --sha256 DIGEST  what is fetched must have this digest, which SHA256SUMS of a release lists; else nothing is taken
  remove NAME      one that was added, unless a deployed policy reads by it
  --name NAME      what it is to be called (as its folder or its file)
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const textModelCommand = defineCommand(
  help,
  texts('data-dir', 'name', 'sha256'),
  async ({ values, operands }, { env, say, answer, signal }) => {
    const [act = 'list', operand = ''] = operands;
    const acts = ['list', 'add', 'fetch', 'remove'];
    const isWhole = (act === 'list') === (operand === '') && (act === 'fetch') === (values.sha256 !== undefined);
    if (!acts.includes(act) || !isWhole) {
      throw refuse('Say list, add FOLDER, fetch ADDRESS --sha256 DIGEST or remove NAME. See --help.');
    }
    const dataDir = values['data-dir'];
    const add = (folder: string, name = values.name) =>
      withWorkbench(requireDataDir(dataDir, env), env, async (client) => {
        say('Reading and trying the text model…');
        const { notes, ...added } = await client.call('text_models.add', { body: { folder, ...(name && { name }) } });
        for (const note of notes) say(note);
        await answer(added);
      });
    if (act === 'add') return add(path.resolve(operand));
    if (act === 'fetch') {
      say(`Fetching ${operand}…`);
      const wanted = { address: operand, digest: values.sha256 ?? '', signal, say };
      return withFetchedPackage(wanted, async (folder) => {
        const placed = placeProgramModel(folder);
        if (placed === null)
          return add(folder, values.name ?? path.posix.basename(operand).replace(/-\d.*$|\.tgz$/, ''));
        say('A workbench that runs reads by it from its next start on.');
        return answer(placed);
      });
    }
    return withWorkbench(requireDataDir(dataDir, env), env, async (client) => {
      if (act === 'remove') {
        await client.call('text_models.delete', { params: { text_model: operand } });
        await answer({ removed: operand });
      } else {
        for (const model of await client.call('text_models.list', {})) await answer(model);
      }
    });
  },
  2,
);
