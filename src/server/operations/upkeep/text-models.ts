/** Handlers for the text models by which types may be read. */
import { statSync } from 'node:fs';
import type { TextModelEntry } from '../../contract/upkeep/text-models.ts';
import type { TextModel } from '../../runtime/encoder/text-model.ts';
import { addTextModel, removeTextModel } from '../../services/upkeep/text-models.ts';
import type { Handlers } from '../context.ts';

const toWire = ({ name, isOwn, facts, encoderPath, tokenizerPath }: TextModel): TextModelEntry => ({
  name,
  own: isOwn,
  base_model: facts.base_model,
  languages: facts.languages,
  size_mb: [encoderPath, tokenizerPath].reduce((sum, file) => sum + statSync(file).size, 0) / 1e6,
});

export const textModelHandlers = {
  'text_models.list': ({ runtime }) => runtime.textModels.map(({ model }) => toWire(model)),
  'text_models.add': async (deps, { caller, body }) => {
    const { model, notes } = await addTextModel(deps, caller, body.folder, body.name);
    return { ...toWire(model), notes };
  },
  'text_models.delete': (deps, { params }) => removeTextModel(deps, params.text_model),
} satisfies Handlers;
