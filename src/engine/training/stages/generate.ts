/** The generate stage: rules are compiled, and synthetic examples made where the configuration asks for them. */
import type { TrainingExample } from '../../domain.ts';
import { WorkbenchError } from '../../errors.ts';
import { type CompiledRules, compileRules } from '../../rules/compile.ts';
import { findRareOptions } from '../data/rare-options.ts';
import { augmentExamples } from '../generate/augmentation.ts';
import type { TrainRequest } from '../request.ts';
import { formatCount } from './format-count.ts';
import type { Generated, Run } from './state.ts';

/**
 * Finds the rare options, and adds synthetic examples of the others to those of the request. Rejects with
 * WorkbenchError 'validation_error' where rules do not compile or the examples cannot be trained on.
 */
export async function generateExamples({ request, ports, progress }: Run): Promise<Generated> {
  progress.report('generate', 0, 'Looking for options with too few examples');
  const rules = compileRulesOrThrow(request);
  const rare = findRareOptions(request.examples, request.definition.options, request.config);
  const isRare = ({ decision }: TrainingExample) => decision !== null && rare.options.includes(decision);
  const learned = request.examples.filter((example) => !isRare(example));
  const filled = await augmentExamples({ ...request, examples: learned }, ports.teach, progress.heartbeat);
  const examples = [...filled.examples, ...request.examples.filter(isRare)];
  const added = examples.length - request.examples.length;
  const outcome = added === 0 ? 'No examples were generated' : `${formatCount(added)} examples were generated`;
  progress.report('generate', 1, outcome);
  return { rules, rare, examples, origins: filled.origins, notes: filled.notes };
}

function compileRulesOrThrow({ definition }: TrainRequest): CompiledRules {
  const compiled = compileRules(definition.hard_rules, definition);
  if (compiled.ok) return compiled.value;
  const first = compiled.problems[0];
  throw new WorkbenchError(
    'validation_error',
    `Rule "${first?.name ?? ''}" cannot be used: ${first?.message ?? 'it does not compile.'}`,
    compiled.problems,
  );
}
