/** Commands that documents print, held against the programs that they start: a name or flag that is none is found. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findCommandName } from '../../src/server/command-line/command.ts';
import { commands } from '../../src/server/command-line/run-command.ts';
import { readCommandLine } from '../../src/server/serve.ts';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const edgeProgram = ['edge/src/decision_edge/__main__.py', 'src/edge/serve/main.ts']
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

/** The lines of the shell blocks of a document, continued ones joined, and its inline code. */
export function listCommands(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  const prose = markdown.replaceAll(/^```.*?^```/gms, '');
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...lines.map((line) => line.replace(/^\$ /, '')), ...inline];
}

/** The words of each simple command on a line of shell: comments, redirections and what quotes hold aside. */
function* splitCommands(line: string): Generator<string[]> {
  const bare = line
    .replace(/(?:^|\s)#\s.*$/, '')
    .replaceAll(/"[^"]*"|'[^']*'/g, 'quoted')
    .replace(/^\w+=\$\((.*)\)\s*$/, '$1');
  for (const part of bare.split(/&&|\|\|?|;|&\s*$|\bthen\b/)) {
    const words = part
      .replaceAll(/\d?[<>]+\s*\S+/g, '')
      .trim()
      .split(/\s+/);
    if (words[0] !== '') yield words;
  }
}

/** Finds the fault of a command that a document prints; null where it is none of this project's, or sound. */
function findCommandProblem([program = '', ...words]: string[]): string | null {
  // Places that a reader fills in: an address stands for all of them, as it is taken for a file, too.
  const args = words
    .filter((word) => !/^(?:…|\[.*|.*\])$/.test(word))
    .map((word) => word.replace(/^[A-Z]+$/, '10.0.0.1'));
  if (program === 'npm' && args[0] === 'run') {
    const [script = '', ...rest] = args.slice(1).filter((word) => word !== '-s');
    if (script !== '' && scripts[script] === undefined) return `package.json has no script ${script}`;
    return script === 'workbench' && rest[0] === '--' ? findWorkbenchProblem(rest.slice(1)) : null;
  }
  if (program === 'workbench' || /(?:^|\/)decision-workbench(?:\.js)?$/.test(program))
    return findWorkbenchProblem(args);
  if (program === 'node' && /\.(?:ts|js)$/.test(args[0] ?? '')) {
    return existsSync(join(root, args[0] ?? '')) ? null : `${args[0]} does not exist`;
  }
  if (program === 'decision-edge') {
    const unknown = args.find(
      (word) => word.startsWith('--') && !new RegExp(`["\\s]${word.split('=')[0]}["\\s]`).test(edgeProgram),
    );
    return unknown === undefined ? null : `decision-edge has no flag ${unknown}`;
  }
  return null;
}

function findWorkbenchProblem(args: string[]): string | null {
  const command = findCommandName(args);
  try {
    if (command === undefined) readCommandLine(args, {});
    else parseArgs({ args: args.slice(1), options: commands[command].options, allowPositionals: true });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Every command of a document that would be refused, with the reason. */
export function findDocumentProblems(markdown: string): string[] {
  return listCommands(markdown).flatMap((line) =>
    [...splitCommands(line)].flatMap((words) => {
      const problem = findCommandProblem(words);
      return problem === null ? [] : [`${line.trim()}: ${problem}`];
    }),
  );
}

/** Paragraphs of a document that begin in the middle of a sentence, or end in one; lists, tables and code aside. */
export function findCutSentences(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```.*?^```/gms, '\n').replaceAll(/^ {4,}.*$/gm, '');
  const paragraphs = prose.split(/\n(?:\s*\n)+|\n(?=[-*|#>!<]|\d+\. )/).map((each) => each.trim());
  return paragraphs.filter(
    (each) => each !== '' && !/^[-*|#>!<]|^\d+\. /.test(each) && (/^[a-z]/.test(each) || !/[.:!?)…`*]$/.test(each)),
  );
}
