/** The tools and resources for agents over HTTP. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CallToolResult,
  createMcpHandler,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { toEnvelope, toWorkbenchError } from '../../door/errors/envelope.ts';
import { readPart } from '../../door/errors/parse-part.ts';
import { toInvalidValue, toValidationError } from '../../door/errors/validation-error.ts';
import { unpackBundle } from '../../engine/bundle/bundle.ts';
import type { ErrorCode, WorkbenchError } from '../../engine/errors.ts';
import { limits } from '../../engine/limits.ts';
import { type Place, readJsonBody } from '../../engine/strict-json/json-body.ts';
import { requireScope } from '../auth/auth.ts';
import type { Caller } from '../auth/caller.ts';
import type { Operation } from '../contract/operation.ts';
import { type Deps, type Download, isDownload } from '../operations/context.ts';
import { runOperation } from '../operations/run-operation.ts';
import { findProgramFolder } from '../process/program-folder.ts';
import { exportBundle, findExportablePolicy } from '../services/policies/export.ts';
import { findDecisionType } from '../services/types/decision-types.ts';
import type { Act, McpCall, Tool } from './tool.ts';
import { tools } from './tools.ts';

const mimeType = 'text/markdown';

/** Registers the resources of one MCP session. */
function offerResources(server: McpServer, deps: Deps, call: McpCall): void {
  const read = async (uri: URL, write: () => Promise<string>) => {
    try {
      call.countCall();
      return { contents: [{ uri: uri.href, mimeType, text: await write() }] };
    } catch (error) {
      throw toProtocolError(toWorkbenchError(error));
    }
  };
  server.registerResource(
    'rules-guide',
    'workbench://guides/rules',
    { title: 'The rules language', description: 'Syntax, functions and limits of the conditions of rules', mimeType },
    (uri) => read(uri, () => readFile(path.join(findProgramFolder(import.meta.dirname), 'docs/rules.md'), 'utf8')),
  );
  server.registerResource(
    'model-card',
    new ResourceTemplate('workbench://decision-types/{decision_type_id}/model-card', { list: undefined }),
    { title: 'Model card', description: 'Fields, data, figures and limits of the deployed policy', mimeType },
    (uri, { decision_type_id }) => read(uri, () => readModelCard(deps, call, String(decision_type_id))),
  );
}

async function readModelCard(deps: Deps, { caller }: McpCall, typeId: string): Promise<string> {
  requireScope(caller, 'read');
  const type = findDecisionType(deps, caller, typeId);
  const { bytes } = await exportBundle(deps.runtime, type, findExportablePolicy(deps, caller, type), true);
  return unpackBundle(bytes, deps.sha256).modelCard;
}

function toProtocolError({ message, code }: WorkbenchError): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code });
}

/** Arguments that the tool's own schema has accepted. */
type ToolArguments = Record<string, unknown>;

export type Mcp = {
  answer(request: Request, message: unknown, call: McpCall): Promise<Response>;
  close(): Promise<void>;
};

/** Serves agent tools over Streamable HTTP, stateless: a fresh server per parsed JSON-RPC message. */
export function createMcp(deps: Deps): Mcp {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const call = authInfo?.extra?.['call'] as McpCall | undefined;
      if (call === undefined) throw new Error('A request came to the agent tools without its caller.');
      return makeServer(deps, call);
    },
    { onerror: (error) => deps.log.warn({ err: error }, 'a request to the agent tools failed') },
  );
  return {
    answer: (request, message, call) =>
      handler.fetch(request, {
        parsedBody: message,
        authInfo: {
          token: '',
          clientId: call.caller.apiKeyId ?? call.caller.userId ?? '',
          scopes: [],
          extra: { call },
        },
      }),
    close: () => handler.close(),
  };
}

const workOrder = `Decision types decide inputs by hard rules and a trained policy. Order of work: create_decision_type, add_examples or generate_examples (${limits.minExamples} labelled ones, ${limits.minExamplesPerOption} per option for it to be decided alone), train_model, get_training_status until deployed, make_decision. update_decision_type changes rules and thresholds without a training; evaluate_policy says how well a policy decides; list_policies and deploy_policy go back to an earlier one.`;

/** The tools that the caller may use, and the instructions, which name the others. */
function chooseTools({ scopes, allowsDestructive }: Caller): { offered: Tool[]; instructions: string } {
  const isOffered = ({ hints, acts }: Tool) =>
    (allowsDestructive || !hints.destructive) &&
    [...acts.values()].every(({ row }) => row.scope === undefined || scopes === null || scopes.includes(row.scope));
  const left = tools.filter((tool) => !isOffered(tool)).map(({ name }) => name);
  const note = left.length === 0 ? '' : ` This key may not use ${left.join(', ')}: another is made under Settings.`;
  return { offered: tools.filter(isOffered), instructions: `${workOrder}${note}` };
}

function makeServer(deps: Deps, call: McpCall): McpServer {
  // The library would promise messages about changed lists, which a server of one request never sends.
  const capabilities = { tools: { listChanged: false }, resources: { listChanged: false } };
  const { offered, instructions } = chooseTools(call.caller);
  const server = new McpServer(
    { name: 'decision-workbench', version: deps.toolVersion },
    { instructions, capabilities },
  );
  for (const tool of offered) {
    const { readOnly, destructive, idempotent, openWorld = false } = tool.hints;
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: toStandardSchema(tool.inputSchema),
        // The other two say nothing about a tool that only reads.
        annotations: {
          readOnlyHint: readOnly,
          ...(readOnly ? {} : { destructiveHint: destructive, idempotentHint: idempotent }),
          openWorldHint: openWorld,
        },
      },
      (toolArguments, context) => callTool(deps, tool, toolArguments, { call, context }),
    );
  }
  offerResources(server, deps, call);
  return server;
}

type Calling = { call: McpCall; context: ServerContext };

/** Runs one tool. A failure is the content of an answer, so that the agent reads it and can act on it. */
async function callTool(
  deps: Deps,
  tool: Tool,
  toolArguments: ToolArguments,
  calling: Calling,
): Promise<CallToolResult> {
  const { call } = calling;
  try {
    call.countCall();
    const { act, values } = readArguments(tool, toolArguments);
    const answer = await followAnswer(act, values, calling, () => runAct(deps, act, values, call));
    const shown = act.shorten(answer);
    const structuredContent = (Array.isArray(shown) ? { items: shown } : shown) as Record<string, unknown>;
    return {
      content: [
        { type: 'text', text: act.summarise(answer) },
        // Some clients show their agent the text alone.
        { type: 'text', text: JSON.stringify(structuredContent) },
      ],
      structuredContent,
    };
  } catch (error) {
    const known = toWorkbenchError(error);
    if (known.status >= 500) {
      deps.log.error({ err: error, requestId: call.requestId, tool: tool.name }, 'tool failed');
    }
    return { isError: true, content: [{ type: 'text', text: toRefusalText(known) }] };
  }
}

/** Finds the act that the arguments ask for and checks them by its schema. Throws `validation_error`. */
function readArguments(tool: Tool, { ...toolArguments }: ToolArguments): { act: Act; values: ToolArguments } {
  const part = tool.acts.has('') ? '' : toolArguments['part'];
  const act = tool.acts.get(String(part));
  if (act === undefined) {
    throw toValidationError([
      toInvalidValue(['arguments', 'part'], `must be one of ${[...tool.acts.keys()].join(', ')}`),
    ]);
  }
  if (part !== '') delete toolArguments['part'];
  return { act, values: readPart(act.arguments, correctArguments(act.arguments, toolArguments), 'arguments') };
}

const lookEveryMs = 500;

/** Asks until the work has ended, the wait is over or the agent has left; reports how far it is where wanted. */
async function followAnswer(
  act: Act,
  { wait_seconds }: ToolArguments,
  { context: { mcpReq } }: Calling,
  ask: () => Promise<unknown>,
): Promise<unknown> {
  const until = performance.now() + Number(wait_seconds ?? 0) * 1_000;
  const progressToken = mcpReq._meta?.progressToken;
  let reported = -1;
  for (;;) {
    const answer = await ask();
    const progress = act.follow(answer);
    if (progress === null || performance.now() >= until || mcpReq.signal.aborted) return answer;
    if (progressToken !== undefined && progress.percent > reported) {
      reported = progress.percent;
      const params = { progressToken, progress: reported, total: 100, message: progress.message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    await wait(lookEveryMs);
  }
}

async function runAct(deps: Deps, act: Act, values: ToolArguments, call: McpCall): Promise<unknown> {
  const { row, operation } = act;
  const pick = (part: z.ZodType | undefined) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => part instanceof z.ZodObject && key in part.shape));
  const params = pick(row.params);
  const query = pick(row.query);
  const body = Object.fromEntries(Object.entries(values).filter(([key]) => !(key in params) && !(key in query)));
  const isArgument = ([part, within]: Place) => part === 'params' && within === 'arguments';
  const lostDigits = call.lostDigits?.filter(isArgument).map((place) => place.slice(2)) ?? null;
  const parts = { params, query, body, receipt: null, ifMatch: null, sendsExtras: false, ...call, lostDigits };
  const answer = await runOperation(deps, operation, row, parts);
  return isDownload(answer) ? toAddress(row, params, query, call.baseUrl, answer) : answer;
}

/** Names the file that the tool answers instead of its bytes. */
function toAddress({ path }: Operation, params: ToolArguments, query: ToolArguments, baseUrl: string, file: Download) {
  const pathname = path.replace(/:(\w+)/g, (_, name: string) => String(params[name]));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return {
    download_url: `${baseUrl}${pathname}?${given.join('&')}`,
    content_type: file.contentType,
    file_name: file.fileName,
  };
}

const nextSteps: Partial<Record<ErrorCode, string>> = {
  validation_error: 'correct the places named in details and call again.',
  decision_type_not_found: 'list_decision_types shows what there is.',
  model_not_deployed: 'train_model, then get_training_status until it is deployed.',
  conflict: 'look at what the message and details name, or at get_decision_type and list_policies, before another try.',
  quota_exceeded: 'get_credits; the plan is chosen by a person.',
  forbidden: 'the owner of the workbench makes keys that may do it, under Settings.',
  rate_limited: 'wait until then; batch_decisions makes many decisions in one call.',
  insufficient_credits: 'get_credits; the plan is chosen by a person.',
};

function toRefusalText({ code, message, details }: WorkbenchError): string {
  const next = nextSteps[code] ?? 'repeat it only if another try is likely to succeed.';
  return `${message} Nothing was changed. Next: ${next}\n${JSON.stringify(toEnvelope(code, message, details))}`;
}

/** Arguments as the protocol's library takes them: described, and left to `readArguments` to be checked. */
function toStandardSchema(json: Record<string, unknown>): StandardSchemaWithJSON<ToolArguments> {
  const validate = (value: unknown) => ({ value: value as ToolArguments });
  const jsonSchema = { input: () => json, output: () => json };
  return { '~standard': { version: 1, vendor: 'decision-workbench', validate, jsonSchema } };
}

/** Levels of arguments that may need it: a list as text, whose objects have nulls, one of them in an object. */
const maxRounds = 3;

/** Leaves out refused nulls and reads JSON texts where objects or lists are due. Throws as `readJsonBody`. */
function correctArguments(schema: z.ZodObject, given: ToolArguments): ToolArguments {
  let corrected = given;
  for (let round = 0; round < maxRounds; round += 1) {
    const issues = schema.safeParse(corrected, { reportInput: false }).error?.issues ?? [];
    const next = structuredClone(corrected);
    if (!issues.map(({ code, path }) => correctValue(next, path, code === 'invalid_type')).includes(true)) break;
    corrected = next;
  }
  return corrected;
}

/** Leaves out a null at a path, or reads a JSON text where another type is due; false where neither stands there. */
function correctValue(root: object, path: readonly PropertyKey[], isOfOtherType: boolean): boolean {
  const [last, ...above] = path.toReversed();
  const parent: unknown = above.reduceRight<unknown>((value, key) => Reflect.get(Object(value), key), root);
  if (last === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) return false;
  const value: unknown = Reflect.get(parent, last);
  if (value === null && !Array.isArray(parent)) return Reflect.deleteProperty(parent, last);
  const read =
    isOfOtherType && typeof value === 'string' && /^\s*[[{]/.test(value) ? readJsonBody(Buffer.from(value)) : null;
  return typeof read === 'object' && read !== null && Reflect.set(parent, last, read);
}
