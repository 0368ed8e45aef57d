/** The shape of a command: its flags, its help, and the surroundings that it works with. */
import { statSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { byName } from '../../engine/domain/records.ts';
import type { ErrorDetail } from '../../engine/errors.ts';
import { ApiError } from '../contract/client.ts';
import { StartError } from '../process/start-error.ts';

const commandNames = [
  'import',
  'train',
  'evaluate',
  'export',
  'export-examples',
  'export-type',
  'import-type',
  'import-bundle',
  'decide',
  'import-log',
  'text-model',
  'verify',
  'sign',
  'case',
  'definition',
] as const;
export type CommandName = (typeof commandNames)[number];

const isFile = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isFile() === true;

/** The command that arguments name; undefined for `verify` of a folder, which starts nothing. */
export function findCommandName([first, ...rest]: readonly string[]): CommandName | undefined {
  if (first === 'verify' && !rest.includes('--decisions') && !rest.includes('--key') && !rest.some(isFile))
    return undefined;
  return commandNames.find((known) => known === first);
}

/** How a command ends; what a start meets (`exitCodes` of process/start-error.ts) keeps its own codes from 96. */
export const endCodes = {
  done: 0,
  under: 1,
  /** Flags, file or data are refused, in a sentence with place and remedy. */
  refused: 2,
  /** It could not be carried out: a training failed, or the workbench gave no answer. */
  failed: 3,
  interrupted: 130,
} as const;
type EndCode = (typeof endCodes)[keyof typeof endCodes];

/** A command that cannot go on; the message is for the person at the console. */
export class CommandError extends Error {
  readonly endCode: EndCode;
  constructor(endCode: Exclude<EndCode, 0>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.endCode = endCode;
  }
}

/** Makes the error that refuses flags, a file or data. */
export const refuse = (message: string, cause?: unknown): CommandError =>
  new CommandError(endCodes.refused, message, { cause });

/** Refuses what the state of a type speaks against, as a file is refused: its sentence says what to do. */
export function refuseConflict(error: unknown): never {
  if (error instanceof ApiError && error.code === 'conflict') throw refuse(error.message, error);
  throw error;
}

export type Surroundings = {
  env: NodeJS.ProcessEnv;
  /** Aborted by the first Ctrl+C. */
  signal: AbortSignal;
  say(text: string): void;
  /** Writes one line of JSON to the standard output; resolves when it may take another. */
  answer(value: object): Promise<void>;
};

type Values<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>['values'];
// biome-ignore lint/suspicious/noConfusingVoidType: a command that is done simply returns
type Ending = EndCode | undefined | void;
type Work<O extends ParseArgsOptionsConfig> = (
  given: { values: Values<O>; file: string | undefined; operands: readonly string[] },
  around: Surroundings,
) => Promise<Ending>;

export type Command = {
  help: string;
  options: ParseArgsOptionsConfig;
  run(args: readonly string[], around: Surroundings): Promise<EndCode>;
};

const text = { type: 'string' } as const;
/** Flags that take a text. */
export const texts = <Name extends string>(...names: Name[]) => byName(names, () => text);
export const commonOptions = texts('data-dir', 'type');

/** Makes a command of flags and at most one file, or more words; it ends with `done` unless its work says else. */
export function defineCommand<const O extends ParseArgsOptionsConfig>(
  help: string,
  options: O,
  work: Work<O>,
  maxOperands = 1,
): Command {
  return {
    help,
    options,
    async run(args, around) {
      const { values, positionals: operands } = parse(args, options);
      const excess = operands.slice(maxOperands);
      if (excess.length > 0) throw new StartError('options', `One file at most, not also ${excess.join(' ')}.`);
      return (await work({ values, file: operands[0], operands }, around)) ?? endCodes.done;
    },
  };
}

function parse<const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'The flags cannot be read.';
    throw new StartError('options', reason, { cause });
  }
}

/** Reads one problem of a refusal, which may have any shape. */
export const readDetail = (detail: unknown): Partial<ErrorDetail> =>
  typeof detail === 'object' && detail !== null ? detail : {};

/** Reads a share from 0 to 1; null where the flag is not given. */
export function readShare(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const share = /^(0|1|0?\.\d+|[01]\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw new StartError('options', `${flag} must be a share from 0 to 1, as 0.9, not "${text}".`);
}
