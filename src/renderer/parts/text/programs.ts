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

/** A call with Python's own library. */
export function toPython(address: string, name: string, input: unknown): string {
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${address}/api/v1/decide",`,
    `    data=json.dumps({"decision_type": ${write(name)}, "input": ${asPython(input)}}).encode(),`,
    '    headers={"Authorization": f"Bearer {os.environ[\'WORKBENCH_API_KEY\']}", "Content-Type": "application/json"},',
    ')',
    'print(json.load(urllib.request.urlopen(request)))',
  ].join('\n');
}

/** A call with fetch, in TypeScript. */
export function toTypeScript(address: string, name: string, input: unknown): string {
  return [
    `const response = await fetch('${address}/api/v1/decide', {`,
    "  method: 'POST',",
    '  headers: {',
    "    Authorization: 'Bearer ' + process.env.WORKBENCH_API_KEY,",
    "    'Content-Type': 'application/json',",
    '  },',
    `  body: JSON.stringify(${write({ decision_type: name, input }, 2).replaceAll('\n', '\n  ')}),`,
    '});',
    'console.log(await response.json());',
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
