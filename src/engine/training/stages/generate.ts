import type { TrainingExample } from '../../domain/training.ts';
import { WorkbenchError } from '../../errors.ts';
import { formatCount } from '../../numeric.ts';
import { compileRules } from '../../rules/compile.ts';
import type { CompiledRules } from '../../rules/rules-file.ts';
import { isHinted, isLabelled } from '../data/hint-rows.ts';
import { compileRuledTest } from '../data/labelled-rows.ts';
import { findRareOptions } from '../data/rare-options.ts';
import { augmentExamples } from '../generate/augmentation.ts';
import type { TrainRequest } from '../request.ts';
import type { Generated, Run } from './state.ts';

/** Leaves to rules what they decide, finds rare options, adds synthetic rows. Rejects with 'validation_error'. */
export async function generateExamples({ request, ports, progress }: Run): Promise<Generated> {
  progress.report('generate', 0, 'Looking for options with too few examples');
  const rules = compileRulesOrThrow(request);
  const isDecided = compileRuledTest(rules, request.definition.readings, request.piiFields ?? []);
  const isRuled = ({ input }: TrainingExample) => request.config.train_on === 'left_by_rules' && isDecided(input);
  const byRule = Map.groupBy(request.examples, isRuled);
  const left = byRule.get(false) ?? [];
  const ruled = (byRule.get(true) ?? []).map((example) => ({ ...example, ruled: true }));
  const isOpen = (option: string) =>
    left.some(({ decision }) => decision === option) || !ruled.some(({ decision }) => decision === option);
  const rare = findRareOptions(left, request.definition.options.filter(isOpen), request.config);
  const isRare = ({ decision }: TrainingExample) => decision !== null && rare.options.includes(decision);
  const learned = left.filter((example) => !isRare(example));
  const stock = { ...request, examples: learned.filter(isLabelled), all: request.examples.filter(isLabelled) };
  const filled = await augmentExamples(stock, ports.teach, progress.heartbeat);
  const given = [...filled.examples.filter((example) => !isRuled(example)), ...left.filter(isRare).filter(isLabelled)];
  const examples = [...given, ...learned.filter(isHinted)];
  const added = filled.examples.length - stock.examples.length;
  const outcome = added === 0 ? 'No examples were generated' : `${formatCount(added)} examples were generated`;
  progress.report('generate', 1, outcome);
  return { rules, rare, examples, ruled, origins: filled.origins, notes: filled.notes };
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
