/** The commands that work with the service without a window: found by name, run, and ended with their code. */
import { once } from 'node:events';
import { WorkbenchError } from '../../engine/errors.ts';
import { ApiError, describeDetail } from '../contract/client.ts';
import { exitCodes, StartError } from '../process/start-error.ts';
import { type Command, CommandError, type CommandName, endCodes, readDetail } from './command.ts';
import { decideCommand, evaluateCommand } from './decide.ts';
import { definitionCommand } from './definition.ts';
import { exportCommand } from './export.ts';
import { exportExamplesCommand } from './export-examples.ts';
import { importCommand } from './import.ts';
import { caseCommand } from './log/case.ts';
import { importLogCommand } from './log/import-log.ts';
import { verifyCommand } from './log/verify.ts';
import { exportTypeCommand, importBundleCommand, importTypeCommand } from './move-type.ts';
import { signCommand } from './signing/sign.ts';
import { textModelCommand } from './text-model.ts';
import { trainCommand } from './train.ts';

/** The commands by their names. */
export const commands = {
  import: importCommand,
  train: trainCommand,
  evaluate: evaluateCommand,
  export: exportCommand,
  'export-examples': exportExamplesCommand,
  'export-type': exportTypeCommand,
  'import-type': importTypeCommand,
  'import-bundle': importBundleCommand,
  decide: decideCommand,
  'import-log': importLogCommand,
  'text-model': textModelCommand,
  verify: verifyCommand,
  sign: signCommand,
  case: caseCommand,
  definition: definitionCommand,
} satisfies Record<CommandName, Command>;

/** Runs a command and returns the code to end with; what went wrong stands on the standard error. */
export async function runCommand(name: CommandName, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const command = commands[name];
  if (args.includes('--help')) {
    process.stdout.write(command.help);
    return endCodes.done;
  }
  const interruption = new AbortController();
  const { signal } = interruption;
  const stop = () => {
    if (signal.aborted) process.exit(endCodes.interrupted);
    interruption.abort();
  };
  const answer = async (value: object) => {
    if (!process.stdout.write(`${JSON.stringify(value)}\n`)) await once(process.stdout, 'drain', { signal });
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A reader that has seen enough, as head.
  process.stdout.on('error', () => interruption.abort());
  try {
    return await command.run(args, { env, signal, say, answer });
  } catch (error) {
    if (!signal.aborted) return explain(error);
    say('Interrupted.');
    return endCodes.interrupted;
  }
}

const maxShownProblems = 20;

const say = (text: string) => void process.stderr.write(`${text}\n`);

/** Tells what went wrong and returns the exit code of its kind. A fault of the program is rethrown. */
function explain(error: unknown): number {
  if (error instanceof ApiError || error instanceof WorkbenchError) {
    const problems = (error.details ?? []).map(describeProblem);
    const more = problems.length > maxShownProblems ? [`and ${problems.length - maxShownProblems} more`] : [];
    const isFault = error.code === 'internal_error';
    const log = isFault ? ['The log of the workbench says why; set WORKBENCH_LOG_LEVEL=error where none runs.'] : [];
    say([error.message, ...log, ...problems.slice(0, maxShownProblems), ...more].join('\n  '));
    return error.status >= 400 && error.status < 500 && error.code !== 'conflict' ? endCodes.refused : endCodes.failed;
  }
  if (error instanceof CommandError) {
    say(error.message);
    return error.endCode;
  }
  if (!(error instanceof StartError)) throw error;
  say(error.message);
  // Below the codes from 96 the program's own are this command's codes with another meaning.
  return error.exitCode < exitCodes.absent ? endCodes.refused : error.exitCode;
}

function describeProblem(detail: unknown): string {
  const { loc, msg } = readDetail(detail);
  return loc?.[1] === 'content' && msg !== undefined ? msg : describeDetail(detail);
}
