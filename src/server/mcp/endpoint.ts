/** The agent tools as a web handler of the Model Context Protocol. */
import {
  type CallToolResult,
  createMcpHandler,
  McpServer,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ErrorCode, WorkbenchError } from '../../engine/errors.ts';
import { limits } from '../../engine/limits.ts';
import type { Caller } from '../auth/caller.ts';
import { toEnvelope, toWorkbenchError } from '../errors/envelope.ts';
import { awaitTurn } from '../operations/await-turn.ts';
import type { Deps } from '../operations/context.ts';
import { operationHandlers } from '../operations/handlers.ts';
import { tellChange } from '../operations/tell-change.ts';
import { findDecisionType } from '../services/decision-types.ts';
import { exportBundle, findExportablePolicy } from '../services/deployment.ts';
import { type DescribedSchema, type Tool, tools } from './tools.ts';

/** One call over HTTP, already authenticated, counted and checked for Host and Origin. */
type McpCall = {
  caller: Caller;
  requestId: string;
  baseUrl: string;
  /** Counts one tool call; throws `rate_limited` past the caller's limit. */
  countCall(): void;
};

/** Arguments that the tool's own schema has accepted. */
type ToolArguments = Record<string, unknown>;

export type Mcp = {
  answer(request: Request, message: unknown, call: McpCall): Promise<Response>;
  close(): Promise<void>;
};

/**
 * The agent tools over Streamable HTTP, stateless: a fresh server per request that lives as long as its answer.
 * `answer` takes the parsed JSON-RPC message and gives a web response.
 */
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

const instructions = `Decision types decide inputs by hard rules and a trained policy. Order of work: create_decision_type, add_examples or generate_examples (${limits.minExamplesPerOption} labelled ones per option), train_model, get_training_status until deployed, make_decision. update_decision_type changes rules and thresholds without a training; list_policies and deploy_policy go back to an earlier policy.`;

function makeServer(deps: Deps, call: McpCall): McpServer {
  // The library would promise messages about a changed list, which a server of one request never sends.
  const capabilities = { tools: { listChanged: false } };
  const server = new McpServer(
    { name: 'decision-workbench', version: deps.toolVersion },
    { instructions, capabilities },
  );
  for (const tool of tools) {
    const { readOnly, destructive, idempotent, openWorld = false } = tool.row.hints;
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: toStandardSchema(tool.input),
        outputSchema: toStandardSchema(tool.output),
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: destructive,
          idempotentHint: idempotent,
          openWorldHint: openWorld,
        },
      },
      (toolArguments) => callTool(deps, tool, toolArguments, call),
    );
  }
  return server;
}

/** Runs one tool. A failure is the content of an answer, so that the agent reads it and can act on it. */
async function callTool(deps: Deps, tool: Tool, toolArguments: ToolArguments, call: McpCall): Promise<CallToolResult> {
  try {
    call.countCall();
    const answer = await runOperation(deps, tool, toolArguments, call);
    const structuredContent = (Array.isArray(answer) ? { items: answer } : answer) as Record<string, unknown>;
    return {
      content: [
        { type: 'text', text: tool.summarise(answer) },
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

/** Runs the tool's operation; its arguments were checked by the very schemas of the operation's parts. */
async function runOperation(deps: Deps, tool: Tool, toolArguments: ToolArguments, call: McpCall): Promise<unknown> {
  const { row } = tool;
  const pick = (part: z.ZodType | undefined) =>
    Object.fromEntries(
      Object.entries(toolArguments).filter(([key]) => part instanceof z.ZodObject && key in part.shape),
    );
  const params = pick(row.params);
  const query = pick(row.query);
  if (tool.operation === 'bundle.export') return findBundleAddress(deps, toolArguments, call);
  const body = Object.fromEntries(Object.entries(toolArguments).filter(([key]) => !(key in params) && !(key in query)));
  // Each handler fits its own row; over all rows together the types cannot say so.
  const handler = operationHandlers[tool.operation] as (deps: Deps, request: unknown) => unknown;
  await awaitTurn(deps, tool.operation, row, params);
  const answer = await handler(deps, { params, query, body, receipt: null, ...call });
  tellChange(deps, tool.operation, row, { ...call, params });
  return answer;
}

/** What the tool answers instead of the bytes of a bundle. */
async function findBundleAddress(deps: Deps, toolArguments: ToolArguments, { caller, baseUrl }: McpCall) {
  const id = String(toolArguments['decision_type_id']);
  const type = findDecisionType(deps, caller, id);
  const exportable = findExportablePolicy(deps, caller, type);
  const isSlim = toolArguments['slim'] === true;
  const { fileName } = await exportBundle(deps.runtime, type, exportable, isSlim);
  const slim = isSlim ? '?slim=true' : '';
  return {
    download_url: `${baseUrl}/api/v1/decision-types/${id}/export${slim}`,
    content_type: 'application/zip',
    file_name: fileName,
    policy_version: `v${exportable.policy.version}`,
  };
}

const nextSteps: Partial<Record<ErrorCode, string>> = {
  validation_error: 'correct the places named in details and call again.',
  decision_type_not_found: 'list_decision_types shows what there is.',
  model_not_deployed: 'train_model, then get_training_status until it is deployed.',
  conflict: 'look at the current state (get_decision_type, get_training_status) before another try.',
  quota_exceeded: 'get_credits; the plan is chosen by a person.',
  rate_limited: 'wait until then; batch_decisions makes many decisions in one call.',
  insufficient_credits: 'get_credits; the plan is chosen by a person.',
};

function toRefusalText({ code, message, details }: WorkbenchError): string {
  const next = nextSteps[code] ?? 'repeat it only if another try is likely to succeed.';
  return `${message} Nothing was changed. Next: ${next}\n${JSON.stringify(toEnvelope(code, message, details))}`;
}

/** A schema as the protocol's library takes it, written as the OpenAPI document writes it. */
function toStandardSchema({ schema, json }: DescribedSchema): StandardSchemaWithJSON<Record<string, unknown>> {
  const jsonSchema = { input: () => json, output: () => json };
  return { '~standard': { ...schema['~standard'], jsonSchema } } as StandardSchemaWithJSON<Record<string, unknown>>;
}
