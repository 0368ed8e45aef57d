/** How programs ask for a decision: texts to copy, in which nothing is hidden. */
import { escapeUnseen } from './names.ts';

const write = (value: unknown, indent?: number) => escapeUnseen(JSON.stringify(value, null, indent));

/** A call with curl. */
export function toCurl(address: string, name: string, input: unknown): string {
  const body = write({ decision_type: name, input }).replaceAll("'", "'\\''");
  return [
    `curl -s ${address}/api/v1/decide \\`,
    '  -H "Authorization: Bearer $WORKBENCH_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join('\n');
}

const asPython = (value: unknown) => `json.loads(${write(JSON.stringify(value))})`;

/** A call with a client of decision models, which knows no decision types: the question has their options. */
export function toClient(address: string, name: string, options: readonly string[], input: unknown): string {
  const choices = write(options.map((value) => ({ value })));
  return [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${address}/v1", api_key=os.environ["WORKBENCH_API_KEY"])`,
    'decision = client.decisions.create(',
    `    model=${write(name)},`,
    `    input=${write(JSON.stringify(input))},`,
    `    questions=[{"type": "choice", "choices": ${choices}}],`,
    ')',
    'print(decision.answers[0].choice, decision.answers[0].probabilities)',
  ].join('\n');
}

/** A decision offline, from the bundle. */
export function toOfflinePython(name: string, input: unknown): string {
  return [
    'import json',
    'from decision_edge import EdgePredictor',
    '',
    `predictor = EdgePredictor.from_bundle(${write(`${name}.zip`)})`,
    `result = predictor.predict(${asPython(input)})`,
    'print(result.decision, result.confidence)',
  ].join('\n');
}

/** Where the service is reached from other programs. */
export function findAddress(): string {
  return window.location.protocol.startsWith('http') ? window.location.origin : 'http://127.0.0.1:8737';
}
