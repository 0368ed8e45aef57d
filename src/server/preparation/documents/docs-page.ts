import { createHash } from 'node:crypto';
import { errorTable } from '../../../engine/errors.ts';
import { escapeHtml } from '../../../engine/report/html.ts';
import type { JsonSchema } from '../../contract/openapi.ts';
import { describeCallers, listErrors, type Operation, toOpenApiPath } from '../../contract/operation.ts';
import { listOperations } from '../../contract/operations.ts';
import { toScriptlessPolicy } from '../../contract/security-policy.ts';
import { buildExample, listFields } from './docs-schema.ts';

const style = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3b414d); --soft: light-dark(#f4f6f9, #20242c); --link: light-dark(#0b57d0, #8ab4f8) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem 1.5rem 6rem }
a { color: var(--link) }
code, pre { font: 13px/1.45 ui-monospace, monospace }
code { overflow-wrap: anywhere }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; padding: .6rem .8rem }
table { border-collapse: collapse; margin: .6rem 0; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem .25rem 0; text-align: left; vertical-align: top }
td:first-child { width: 24% } td:nth-child(2) { width: 30% }
section { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .5rem }
h3 code { font-size: 1.05rem }
nav ul { columns: 22rem; list-style: none; padding: 0 }
nav li { break-inside: avoid }
:target { background: var(--soft) }
i { opacity: .7 }
`;

/** The page may load nothing but its own style. */
export const docsSecurityPolicy = `${toScriptlessPolicy(createHash('sha256').update(style).digest('base64'))}; frame-ancestors 'none'`;

/** The interface as one readable page without scripts, from the same table as the routes and the OpenAPI document. */
export function makeDocsPage(document: JsonSchema, version: string, baseUrl: string): string {
  const { schemas } = document['components'] as { schemas: Record<string, JsonSchema> };
  const rows = listOperations();
  const tags = [...new Set(rows.map(({ row }) => row.tag))];
  const listByTag = (tag: string) => rows.filter(({ row }) => row.tag === tag);
  const contents = tags.map(
    (tag) =>
      `<h3>${escapeHtml(tag)}</h3><ul>${listByTag(tag)
        .map(({ name, row }) => `<li><a href="#${name}">${escapeHtml(row.summary)}</a></li>`)
        .join('')}</ul>`,
  );
  const sections = tags.flatMap((tag) => [
    `<h2>${escapeHtml(tag)}</h2>`,
    ...listByTag(tag).map(({ name, row }) => describeOperation(document, schemas, name, row, baseUrl)),
  ]);
  const named = Object.entries(schemas).map(
    ([name, schema]) =>
      `<section id="schema-${name}"><h3>${name}</h3>${listFields('field', schema, schemas, true)}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Decision Workbench API</title><style>${style}</style></head><body>
<h1>Decision Workbench API</h1>
<p>Version ${escapeHtml(version)}. The same as a document for programs: <a href="/api/v1/openapi.json">OpenAPI 3.1</a>. The workbench itself: <a href="/app/">/app/</a>. Agent tools (MCP): <code>POST ${escapeHtml(baseUrl)}/mcp</code>.</p>
<h2>For every call</h2>
<p>Credentials go in <code>Authorization: Bearer …</code>: an API key (64 hexadecimal characters) or a session token. Bodies are <code>application/json</code>, read strictly: an unknown field, a duplicate key or a value of another type is an error that names its place. Each answer carries <code>X-Request-ID</code>; answers to API keys also <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code>. Lists take <code>page</code> and <code>page_size</code>. Errors have one shape, see <a href="#errors">errors</a>.</p>
<nav><h2>Operations</h2>${contents.join('')}</nav>
${sections.join('\n')}
<h2 id="schemas">Named objects</h2>
${named.join('\n')}
<section id="errors"><h2>Errors</h2>
<pre>${escapeHtml('{ "error": { "code": "validation_error", "message": "…", "details": [ { "type": "…", "loc": ["body", "name"], "msg": "…" } ] } }')}</pre>
<table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${Object.entries(errorTable)
    .map(
      ([code, { status, retryable, meaning }]) =>
        `<tr id="error-${code}"><td><code>${code}</code></td><td>${status}${retryable ? ', a retry can help' : ''}</td><td>${escapeHtml(meaning)}</td></tr>`,
    )
    .join('')}</tbody></table></section>
</body></html>
`;
}

type OperationObject = {
  parameters: { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: { 'application/json'?: { schema: JsonSchema } } };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
};

function describeOperation(
  document: JsonSchema,
  schemas: Record<string, JsonSchema>,
  name: string,
  row: Operation,
  baseUrl: string,
): string {
  const paths = document['paths'] as Record<string, Record<string, OperationObject>>;
  const operation = paths[toOpenApiPath(row)]?.[row.method.toLowerCase()];
  if (operation === undefined) throw new Error(`the OpenAPI document lacks ${name}`);
  const parts = [
    `<h3><code>${row.method} ${toOpenApiPath(row)}</code></h3>`,
    `<p>${escapeHtml(row.summary)}. Who may call: ${escapeHtml(describeCallers(row))}.</p>`,
  ];
  for (const place of ['path', 'query']) {
    const found = operation.parameters.filter((parameter) => parameter.in === place);
    if (found.length === 0) continue;
    const properties = Object.fromEntries(
      found.map(({ name: field, description, schema }) => [
        field,
        description === undefined ? schema : { ...schema, description },
      ]),
    );
    const required = found.filter((parameter) => parameter.required).map((parameter) => parameter.name);
    parts.push(listFields(place, { type: 'object', properties, required }, schemas, true));
  }
  const body = operation.requestBody?.content['application/json']?.schema;
  if (body !== undefined)
    parts.push(listFields(row.bodyOptional ? 'body (may be left out)' : 'body', body, schemas, true));
  const answer = operation.responses[row.status]?.content?.['application/json']?.schema;
  parts.push(
    answer === undefined
      ? `<p>answer ${row.status}: ${escapeHtml(row.produces ?? 'no body')}</p>`
      : listFields(`answer ${row.status}`, answer, schemas, false),
    `<p>errors: ${listErrors(row)
      .map((code) => `<a href="#error-${code}">${errorTable[code].status} ${code}</a>`)
      .join(', ')}</p>`,
    `<pre>${escapeHtml(toCurl(row, body === undefined ? undefined : buildExample(body, schemas), baseUrl))}</pre>`,
  );
  return `<section id="${name}">${parts.join('\n')}</section>`;
}

function toCurl(row: Operation, body: unknown, baseUrl: string): string {
  const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const method = row.method === 'GET' || (row.method === 'POST' && body !== undefined) ? '' : ` -X ${row.method}`;
  // Path parameters become variables of the shell: "…/decision-types/$DECISION_TYPE_ID".
  const path = row.path.replace(/:(\w+)/g, (_, name: string) => `$${name.toUpperCase()}`);
  const lines = [`curl -s${method} "${baseUrl}${path}"`];
  if (row.access !== 'public') lines.push(`-H "Authorization: Bearer $TOKEN"`);
  if (body !== undefined)
    lines.push(`-H 'Content-Type: application/json'`, `-d ${shell(JSON.stringify(body, null, 2))}`);
  return lines.join(' \\\n  ');
}
