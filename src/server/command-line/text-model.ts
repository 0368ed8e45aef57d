/** `workbench text-model`: text models of the user's own. */
import path from 'node:path';
import { defineCommand, endCodes, refuse } from './command.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

const help = `workbench text-model [list | add FOLDER | remove NAME] [--name NAME] [--data-dir DIR]
Text models by which types may be read, beside those of the program. A training with text_model auto also tries them.

  add FOLDER       a folder with encoder.onnx, tokenizer.json and LICENSE; encoder.json, golden.json, NOTICE and SHA256SUMS
                   are used if present. The model is tested, then copied into the data folder
  remove NAME      one that was added, unless a deployed policy reads by it
  --name NAME      what it is to be called (as its folder)
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const textModelCommand = defineCommand(
  help,
  { 'data-dir': { type: 'string' }, name: { type: 'string' } },
  async ({ values, operands }, { env, say, answer }) => {
    const [act = 'list', operand] = operands;
    const isWhole = act === 'list' ? operand === undefined : operand !== undefined;
    if (!['list', 'add', 'remove'].includes(act) || !isWhole) {
      throw refuse('Say list, add FOLDER or remove NAME. See --help.');
    }
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      if (act === 'add') {
        say('Reading and trying the text model…');
        const body = { folder: path.resolve(operand ?? ''), ...(values.name !== undefined && { name: values.name }) };
        const { notes, ...added } = await client.call('text_models.add', { body });
        for (const note of notes) say(note);
        await answer(added);
      } else if (act === 'remove') {
        await client.call('text_models.delete', { params: { text_model: operand ?? '' } });
        await answer({ removed: operand });
      } else {
        for (const model of await client.call('text_models.list', {})) await answer(model);
      }
      return endCodes.done;
    });
  },
  2,
);
