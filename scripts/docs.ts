/**
 * `npm run docs`: writes docs/http-api.md and docs/errors.md from the operation table and the error table, and what the
 * Python package shares with the engine: _tables.py, manifest.schema.json and sbom.cdx.json, from package.json's
 * version, the engine's limits and schema and pyproject.toml. It assembles the engine's dense-product.wat.
 * With `--check` nothing is written; it fails if a file is not what would be written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorTable } from '../src/engine/errors.ts';
import { describeCallers, type Operation, toOpenApiPath } from '../src/server/contract/operation.ts';
import { listOperations } from '../src/server/contract/operations.ts';
import { projectRoot } from './freshness.ts';
import { denseProductPath, renderDenseProduct } from './generated/dense-product.ts';
import { edgeManifestPath, renderEdgeManifest } from './generated/edge-manifest.ts';
import { edgeSbomPath, renderEdgeSbom } from './generated/edge-sbom.ts';
import { edgeTablesPath, renderEdgeTables } from './generated/edge-tables.ts';

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
  const rows = listOperations().map(({ row }) => row);
  const sections = [...new Set(rows.map(({ tag }) => tag))].flatMap((tag) => [
    `## ${tag}`,
    '| call | what it does | who may |',
    '|---|---|---|',
    ...rows.filter((row) => row.tag === tag).map(describeOperation),
    '',
  ]);
  return `${[
    '# HTTP API',
    'Made by `npm run docs` from `src/server/contract`. Errors: [errors.md](errors.md). The fields of queries, bodies and answers stand in OpenAPI 3.1 at `GET /api/v1/openapi.json`, and to read at `/docs` of a running workbench. `…` stands for `/api/v1/decision-types/{decision_type_id}`.',
    '',
    'Who may: an API key with the scope that is named, or a session; or a session alone, where it says so. A call answers 200 where no other status is named.',
    '',
    'At a call with `Idempotency-Key` below, the header (1 to 128 printable ASCII characters, a new one for each act) makes it safe to send again: for 24 hours the same key with the same request of the same caller (an API key, or a person) does nothing and is given the first answer, with `Idempotency-Replayed: true`. The key with another request is a 422, the call while the first is under way a 409; refusals are not kept.',
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
  ].join('\n')}\n`;
}

/** One line of the table of calls. */
function describeOperation(row: Operation): string {
  const path = toOpenApiPath(row).replace(/^\/api\/v1\/decision-types\/\{decision_type_id\}(?=\/)/, '…');
  const guard =
    row.method === 'GET' ? 'Sends the `ETag` of the type.' : 'Takes `If-Match` with the `ETag` of the type.';
  const what = [
    `${row.summary}.`,
    row.description ?? '',
    row.takesIdempotencyKey ? 'Takes an `Idempotency-Key`.' : '',
    row.sendsETag ? 'Sends an `ETag`: takes `If-None-Match`, and HEAD.' : '',
    row.guardsType ? guard : '',
    row.status === 200 ? '' : `Answers ${row.status}.`,
  ];
  const words = what
    .filter((sentence) => sentence !== '')
    .join(' ')
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|');
  return `| ${row.method} \`${path}\` | ${words} | ${describeCallers(row)} |`;
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
