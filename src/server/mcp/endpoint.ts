import { createMcpHandler, McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ErrorCode, WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import { toEnvelope, toWorkbenchError } from '../errors/envelope.ts';
import type { Deps } from '../operations/context.ts';
import { operationHandlers } from '../operations/handlers.ts';
import { findDecisionType } from '../services/decision-types.ts';
import { findExportablePolicy } from '../services/deployment.ts';
import { type Described, type Tool, tools } from './tools.ts';

/** One call over HTTP, already authenticated, counted and checked for Host and Origin. */
type McpCall = { caller: Caller; requestId: string; baseUrl: string };

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
      if (call === undefined) throw new Error('a request came to the agent tools without its caller');
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

const instructions =
  'Decision types decide inputs by hard rules and a trained policy. Order of work: create_decision_type, add_examples or generate_examples (38 labelled ones per option), train_model, get_training_status until deployed, make_decision.';

function makeServer(deps: Deps, call: McpCall): McpServer {
  // the library would promise messages about a changed list, which a server of one request never sends
  const capabilities = { tools: { listChanged: false } };
  const server = new McpServer(
    { name: 'decision-workbench', version: deps.toolVersion },
    { instructions, capabilities },
  );
  for (const tool of tools) {
    const { readOnly, destructive, idempotent } = tool.row.hints;
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: standard(tool.input),
        outputSchema: standard(tool.output),
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: destructive,
          idempotentHint: idempotent,
          openWorldHint: false,
        },
      },
      async (given) => {
        try {
          const answer = await perform(deps, tool, given, call);
          const text = tool.said(answer);
          const structuredContent = (Array.isArray(answer) ? { items: answer } : answer) as Record<string, unknown>;
          return {
            content: [
              { type: 'text', text },
              { type: 'text', text: JSON.stringify(structuredContent) },
            ],
            structuredContent,
          };
        } catch (error) {
          const known = toWorkbenchError(error);
          if (known.status >= 500)
            deps.log.error({ err: error, requestId: call.requestId, tool: tool.name }, 'tool failed');
          return { isError: true, content: [{ type: 'text', text: refusal(known) }] };
        }
      },
    );
  }
  return server;
}

/** Runs the tool's operation; its arguments were checked by the very schemas of the operation's parts. */
async function perform(deps: Deps, tool: Tool, given: Record<string, unknown>, call: McpCall): Promise<unknown> {
  const { row } = tool;
  const pick = (part: z.ZodType | undefined) =>
    Object.fromEntries(Object.entries(given).filter(([key]) => part instanceof z.ZodObject && key in part.shape));
  const params = pick(row.params);
  const query = pick(row.query);
  if (tool.operation === 'bundle.export') return bundleAddress(deps, given, call);
  const body = Object.fromEntries(Object.entries(given).filter(([key]) => !(key in params) && !(key in query)));
  // each handler fits its own row; over all rows together the types cannot say so
  const handler = operationHandlers[tool.operation] as (deps: Deps, request: unknown) => unknown;
  return handler(deps, { params, query, body, ...call });
}

function bundleAddress(deps: Deps, given: Record<string, unknown>, { caller, baseUrl }: McpCall) {
  const id = String(given['decision_type_id']);
  const { policy, fileName } = findExportablePolicy(deps, caller, findDecisionType(deps, caller, id));
  const slim = given['slim'] === true ? '?slim=true' : '';
  return {
    download_url: `${baseUrl}/api/v1/decision-types/${id}/export${slim}`,
    content_type: 'application/zip',
    file_name: fileName,
    policy_version: `v${policy.version}`,
  };
}

const nextSteps: Partial<Record<ErrorCode, string>> = {
  validation_error: 'mend the named places and call again.',
  decision_type_not_found: 'list_decision_types shows what there is.',
  model_not_deployed: 'train_model, then get_training_status until it is deployed.',
  conflict: 'look at the present state (get_decision_type, get_training_status) before another try.',
  quota_exceeded: 'get_credits; the plan is chosen by a person.',
  insufficient_credits: 'get_credits; the plan is chosen by a person.',
};

function refusal(error: WorkbenchError): string {
  const next = nextSteps[error.code] ?? 'repeat it only if it is worth another try.';
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  return `${message} Nothing was changed. Next: ${next}\n${JSON.stringify(toEnvelope(error.code, error.message, error.details))}`;
}

/** A schema as the protocol's library takes it, told as the OpenAPI document tells it. */
function standard({ schema, json }: Described): StandardSchemaWithJSON<Record<string, unknown>> {
  const jsonSchema = { input: () => json, output: () => json };
  return { '~standard': { ...schema['~standard'], jsonSchema } } as StandardSchemaWithJSON<Record<string, unknown>>;
}
