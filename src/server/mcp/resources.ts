/** Resources for agents beside the tools: how rules are written, and the model card of a deployed policy. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { toWorkbenchError } from '../../door/errors/envelope.ts';
import { unpackBundle } from '../../engine/bundle/bundle.ts';
import type { WorkbenchError } from '../../engine/errors.ts';
import { requireScope } from '../auth/auth.ts';
import type { Deps } from '../operations/context.ts';
import { findProgramFolder } from '../process/program-folder.ts';
import { exportBundle, findExportablePolicy } from '../services/policies/export.ts';
import { findDecisionType } from '../services/types/decision-types.ts';
import type { McpCall } from './tool.ts';

const mimeType = 'text/markdown';

/** Registers the resources of one MCP session. */
export function offerResources(server: McpServer, deps: Deps, call: McpCall): void {
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
