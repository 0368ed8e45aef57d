/** How programs ask for a decision: texts to copy, in which nothing is hidden. */
import { escapeUnseen } from './names.ts';

const write = (value: unknown, indent = 0) => escapeUnseen(JSON.stringify(value, null, indent));

/** JSON on lines of its own, as Python takes it: nowhere in JSON do three quotes stand side by side. */
const writeLines = (value: unknown) => `r"""${write(value, 2)}"""`;

/** A call with curl. */
export function toCurl(address: string, name: string, input: unknown): string {
  return `curl -s ${address}/api/v1/decide \\
  -H "Authorization: Bearer $WORKBENCH_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${write({ decision_type: name, input }, 2).replaceAll("'", "'\\''")}'`;
}

/** A call with a client of decision models, which knows no decision types: the question has their options. */
export function toClient(address: string, name: string, options: readonly string[], input: unknown): string {
  const questions = write([{ type: 'choice', choices: options.map((value) => ({ value })) }], 2);
  return `from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key="API KEY")
client.decisions.create(model=${write(name)}, input=${writeLines(input)}, questions=${questions})`;
}

/** A decision offline, from the bundle. */
export function toOfflinePython(name: string, input: unknown): string {
  return `import json
from decision_edge import EdgePredictor

predictor = EdgePredictor.from_bundle(${write(`${name}.zip`)})
print(predictor.predict(json.loads(${writeLines(input)})))`;
}

/** Where the service is reached from other programs. */
export function findAddress(): string {
  return window.location.protocol.startsWith('http') ? window.location.origin : 'http://127.0.0.1:8737';
}
