/** Handlers for the text models by which types may be read. */
import { statSync } from 'node:fs';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { TextModelEntry } from '../../contract/upkeep/text-models.ts';
import type { TextModel } from '../../runtime/encoder/text-model.ts';
import { addTextModel, removeTextModel } from '../../services/upkeep/text-models.ts';
import type { Handlers } from '../context.ts';

const toWire = (model: TextModel): TextModelEntry => ({
  name: model.name,
  own: model.isOwn,
  base_model: model.facts.base_model,
  languages: model.facts.languages,
  size_mb: [model.encoderPath, model.tokenizerPath].reduce((sum, file) => sum + statSync(file).size, 0) / 1e6,
});

/** A text model in the list, which one that has lost its files does not take along. */
function toListed(model: TextModel): TextModelEntry {
  try {
    return toWire(model);
  } catch (error) {
    const isGone =
      error instanceof WorkbenchError ? error.code === 'unavailable' : error instanceof Error && 'syscall' in error;
    if (!isGone) throw error;
    const base = model.isOwn
      ? 'not known: its files are gone; remove it, and add it again'
      : `not installed: npm install decision-workbench-${model.name}`;
    return { name: model.name, own: model.isOwn, base_model: base, languages: [], size_mb: 0 };
  }
}

export const textModelHandlers = {
  'text_models.list': ({ runtime }) => runtime.textModels.map(({ model }) => toListed(model)),
  'text_models.add': async (deps, { caller, body }) => {
    const { model, notes } = await addTextModel(deps, caller, body.folder, body.name);
    return { ...toWire(model), notes };
  },
  'text_models.delete': (deps, { params }) => removeTextModel(deps, params.text_model),
} satisfies Handlers;
