/**
 * `npm run docs`: writes docs/http-api.md and docs/errors.md from the operation table and the error table, and what the
 * Python package shares with the engine: _tables.py, manifest.schema.json and sbom.cdx.json, from package.json's
 * version, the engine's limits and schema and pyproject.toml. It assembles the engine's dense-product.wat.
 * With `--check` nothing is written; it fails if a file is not what would be written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ZodType, z } from 'zod';
import { errorTable } from '../src/engine/errors.ts';
import {
  describeType,
  listConstraints,
  listProperties,
  type SchemaMarkup,
} from '../src/engine/schema/describe-schema.ts';
import { describeCallers, type Operation, toOpenApiPath } from '../src/server/contract/operation.ts';
import { listOperations } from '../src/server/contract/operations.ts';
import { projectRoot } from './freshness.ts';
import { denseProductPath, renderDenseProduct } from './generated/dense-product.ts';
import { edgeManifestPath, renderEdgeManifest } from './generated/edge-manifest.ts';
import { edgeSbomPath, renderEdgeSbom } from './generated/edge-sbom.ts';
import { edgeTablesPath, renderEdgeTables } from './generated/edge-tables.ts';

type Schema = {
  id?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
};

const markdown: SchemaMarkup = {
  code: (value) => `\`${JSON.stringify(value)}\``,
  text: (text) => text,
  link: (name) => `[${name}](#${name.toLowerCase()})`,
};
/** The tables of the schemas that several calls share, by their names; the type alone of one without fields. */
const shared = new Map<string, string[]>();

const files = {
  'docs/http-api.md': makeApiPage(),
  'docs/errors.md': makeErrorsPage(),
  [edgeTablesPath]: renderEdgeTables(),
  [edgeManifestPath]: renderEdgeManifest(),
  [edgeSbomPath]: renderEdgeSbom(),
  [denseProductPath]: await renderDenseProduct(),
};
let stale = 0;
for (const [path, text] of Object.entries(files)) {
  const fullPath = join(projectRoot, path);
  if (!process.argv.includes('--check')) writeFileSync(fullPath, text);
  else if (readFileSync(fullPath, 'utf8') !== text) {
    process.stdout.write(`${path} is not what the tables say: run npm run docs\n`);
    stale += 1;
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function makeApiPage(): string {
  const rows = listOperations();
  const tags = [...new Set(rows.map(({ row }) => row.tag))];
  const overview = rows.map(
    ({ row }) =>
      `| ${row.method} | \`${toOpenApiPath(row)}\` | ${row.summary} | ${describeCallers(row)} | ${row.status} |`,
  );
  const sections = tags.flatMap((tag) => [
    `## ${tag}`,
    ...rows.filter(({ row }) => row.tag === tag).flatMap(({ name, row }) => describeOperation(name, row)),
  ]);
  return `${[
    '# HTTP API',
    'Made by `npm run docs` from `src/server/contract`. Errors: [errors.md](errors.md). The same as OpenAPI 3.1: `GET /api/v1/openapi.json`.',
    '',
    '| method | path | what | who | status |',
    '|---|---|---|---|---|',
    ...overview,
    '',
    'Where a call "takes an `Idempotency-Key`", the header (1 to 128 printable ASCII characters, a new one for each act) makes it safe to send again: for 24 hours the same key with the same request of the same caller (an API key, or a person) does nothing and is given the first answer, with `Idempotency-Replayed: true`. The key with another request is a 422, the call while the first is under way a 409; refusals are not kept.',
    '',
    '## Whose confidence',
    'Everywhere `confidence` is the calibrated probability of the decision given. Where the fallback or a connected model decided otherwise than the classifier chose, that choice stands beside it. Thresholds compare what the classifier chose.',
    '',
    '| stage | `decision` | `confidence` | `classifier_choice`, `classifier_probability` |',
    '|---|---|---|---|',
    '| `rules` | of the rule | 1 | null |',
    '| `classifier` | its likeliest option | its probability | null |',
    '| `fallback` | the fallback option | its probability, `class_probabilities[decision]` | the likeliest option and its probability; null where it is the same |',
    '| `fallback`, no classifier asked | the fallback option | 0, and even probabilities | null |',
    '| `escalation` | what the connected model chose | its probability by the classifier | as of the fallback |',
    '',
    'So say `/decide` and its batch, the agent tools, the log with its exports, filters and `avg_confidence`, replay, comparison (there of `decision`), explanations and what flips them, a saved page with the files that it writes, and the packages for Python and for Node and the browser. Both formats of decision models have it as `x_confidence`; their own `confidence` is how little an answer is spread, as they define it. Held-out rows are predictions: there it is the probability of `predicted`.',
    '',
    'Log records and lines of `decision-edge serve` that versions before this one wrote keep their number: with stage `fallback` or `escalation` it is the probability of what the classifier chose. Such a record has null in `classifier_choice` though its `confidence` is not `class_probabilities[decision]`.',
    '',
    ...sections,
    '## Shared schemas',
    ...[...shared].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, table]) => [`### ${name}`, ...table, '']),
  ].join('\n')}\n`;
}

function describeOperation(name: string, row: Operation): string[] {
  const lines = [`### ${row.method} ${toOpenApiPath(row)}`, `${row.summary} (\`${name}\`; ${describeCallers(row)}).`];
  if (row.description !== undefined) lines.push('', row.description);
  if (row.takesIdempotencyKey) lines.push('', 'Takes an `Idempotency-Key`.');
  if (row.sendsETag) lines.push('', 'Sends an `ETag`: takes `If-None-Match`, and HEAD.');
  if (row.guardsType) {
    lines.push(
      '',
      row.method === 'GET' ? 'Sends the `ETag` of the type.' : 'Takes `If-Match` with the `ETag` of the type.',
    );
  }
  if (row.query) lines.push('', ...fieldTable('query', row.query, 'input'));
  if (row.body) lines.push('', ...fieldTable(row.bodyOptional ? 'body (may be left out)' : 'body', row.body, 'input'));
  if (row.fileForm) lines.push('', 'Or as a form (`multipart/form-data`): fields that are no text as JSON.');
  if (row.fileForm) lines.push('', ...fieldTable('form', row.fileForm, 'input'));
  if (row.output) lines.push('', ...fieldTable(`answer ${row.status}`, row.output, 'output'));
  else lines.push('', `Answer ${row.status}: ${row.produces ?? 'no body'}.`);
  return [...lines, ''];
}

/** A table of fields, or one line for a schema without any and for one that the page shows under its own name. */
function fieldTable(title: string, zod: ZodType, io: 'input' | 'output'): string[] {
  const { $defs = {}, ...root } = z.toJSONSchema(zod, { io, unrepresentable: 'any', reused: 'inline' }) as Schema;
  const named = root.id === undefined ? $defs : { ...$defs, [root.id]: root };
  for (const [name, schema] of Object.entries(named))
    shared.set(name, tabulate('field', schema, io) ?? [describeType(schema, markdown)]);
  const table = root.id === undefined ? tabulate(title, root, io) : null;
  const type = root.id === undefined ? describeType(root, markdown) : markdown.link(root.id);
  return table ?? [`${capital(title)}: ${type}.`];
}

/** A row for each field of a schema; null where it has none. */
function tabulate(title: string, schema: Schema, io: 'input' | 'output'): string[] | null {
  const { fields, required } = listProperties(schema);
  if (fields.length === 0) return null;
  return [
    `| ${title} | type | |`,
    '|---|---|---|',
    ...fields.map(
      ([field, of]) =>
        `| \`${field}\` | ${describeType(of, markdown)} | ${describeField(of, io === 'output' || required.has(field))} |`,
    ),
  ];
}

function describeField(schema: Schema, required: boolean): string {
  const constraints = listConstraints(schema, markdown);
  return (required || schema.default !== undefined ? constraints : ['optional', ...constraints]).join(', ');
}

function makeErrorsPage(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, retryable, meaning }]) =>
      `| ${status} | \`${code}\` | ${retryable ? 'yes' : 'no'} | ${meaning} |`,
  );
  return `${[
    '# Errors',
    'Made by `npm run docs` from `src/engine/errors.ts`. Every answer that is not 2xx has this body:',
    '```json',
    '{ "error": { "code": "validation_error", "message": "…", "details": [] } }',
    '```',
    '| status | code | retry helps | meaning |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')}\n`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
