/** The service as an OpenAPI 3.1 document: the workbench's operations, with the fields that its bundles read. */
import { formatShare } from '../../engine/numeric.ts';
import { decisionModelOperations } from '../../server/contract/deciding/decision-models.ts';
import { decisionOperations } from '../../server/contract/deciding/decisions.ts';
import { type JsonSchema, makeOpenApi } from '../../server/contract/openapi.ts';
import type { Operation } from '../../server/contract/operation.ts';
import type { EdgeField } from '../api.ts';
import type { OpenBundle } from '../predictor.ts';

const maxShownValues = 20;
const text = { type: 'string' };
const lists = { numbers: { type: 'number' }, strings: text, objects: { type: 'object' } };
const types: Readonly<Record<EdgeField['kind'], JsonSchema>> = {
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  category: text,
  date: { ...text, description: 'ISO 8601' },
  text,
  conversation: { type: ['array', 'string'], items: lists.objects },
  numbers: { type: 'array', items: lists.numbers },
  strings: { type: 'array', items: lists.strings },
  objects: { type: 'array', items: lists.objects },
  any: {},
};

const probes = {
  '/health': 'Whether the process answers, and by what',
  '/ready': 'What decides, and whether the files hold the same',
  '/metrics': 'Counts for Prometheus',
  '/openapi.json': 'This document',
};

/** Describes what a service offers for the bundles that decide now. */
export function describeService(bundles: readonly OpenBundle[], version: string): JsonSchema {
  const operations: Record<string, Operation> = { ...decisionOperations, ...decisionModelOperations };
  const rows = Object.entries(operations).map(([name, row]) => ({ name, row: { ...row, access: 'public' as const } }));
  const document = makeOpenApi({ title: 'Decisions from exported bundles', version }, rows);
  const { paths, components } = document;
  const { schemas } = components;
  for (const [path, summary] of Object.entries(probes)) {
    const operationId = path.slice(1).replace('.json', '');
    paths[path] = { get: { operationId, summary, responses: { 200: { description: summary } } } };
  }
  schemas['Decision'] = toBundleDecision(schemas['Decision'] ?? {});
  const names = bundles.map(({ info }) => info.decision_type);
  const references = bundles.map((_, at) => ({ $ref: `#/components/schemas/Input${at + 1}` }));
  for (const [at, { info }] of bundles.entries())
    schemas[`Input${at + 1}`] = { ...nest(info.fields, 0), description: `Input of the decision type ${names[at]}` };
  const request = schemas['DecideRequest'] ?? {};
  const [only] = references;
  schemas['DecideRequest'] = {
    ...request,
    properties: {
      decision_type: { ...text, enum: names },
      input: references.length === 1 ? only : { anyOf: references },
    },
  };
  return document;
}

/** A bundle does not know the number of its release, and has no examples to explain by. */
function toBundleDecision(decision: JsonSchema): JsonSchema {
  const { release: _release, explain: _explain, ...properties } = decision['properties'] as JsonSchema;
  const required = (decision['required'] as string[]).filter((name) => name !== 'release');
  const bundle_digest = { ...text, description: 'SHA-256 of the manifest of the bundle that decided' };
  return { ...decision, properties: { ...properties, bundle_digest }, required: [...required, 'bundle_digest'] };
}

/** The schema of an input with fields by their paths, from a depth on. */
function nest(fields: readonly EdgeField[], depth: number): JsonSchema {
  const below = Map.groupBy(fields, ({ path }) => path[depth] ?? '');
  const properties: JsonSchema = {};
  const required: string[] = [];
  for (const [name, some] of below) {
    const own = some.find(({ path }) => path.length === depth + 1);
    properties[name] = own === undefined ? nest(some, depth + 1) : describe(own);
    if (own?.required) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

function describe({ kind, values, range, missing }: EdgeField): JsonSchema {
  const { description, ...schema } = types[kind];
  const sentences = [
    ...(description === undefined ? [] : [description]),
    ...(range === null ? [] : [`In the examples from ${range[0]} to ${range[1]}`]),
    ...(missing === null ? [] : [`Missing in ${formatShare(missing)} of the examples`]),
  ];
  return {
    ...schema,
    ...(values === null || values.length === 0 ? {} : { examples: values.slice(0, maxShownValues) }),
    ...(sentences.length === 0 ? {} : { description: sentences.join('. ') }),
  };
}
