/** The model connections of the organisations: their endpoints with the keys, which only this module reads. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { WorkbenchError } from '../../engine/errors.ts';
import { toFolderPaths } from '../data-folder/folder.ts';
import { moveToTrash } from '../data-folder/trash.ts';
import { writeDurably } from '../process/durable-file.ts';
import type { ConnectionRecord } from '../store/account/connections.ts';
import type { Store } from '../store/store.ts';
import type { ChatOptions, Endpoint, Parameter } from './chat-client.ts';

export type ModelConnections = ReturnType<typeof openModelConnections>;

const keyFileName = /^connection-(.+)\.key(\.part)?$/;

/** Opens the connections; key files that belong to none of them (an interrupted change) go into the trash. */
export function openModelConnections(
  store: Pick<Store, 'connections'>,
  settings: { dataDir: string; timeoutMs: number; now(): number },
) {
  const { secrets: folder, trash } = toFolderPaths(settings.dataDir);
  const toKeyPath = (id: string) => path.join(folder, `connection-${id}.key`);
  const closing = new AbortController();
  /** The time limit of a question, and the signal that ends it with the program. */
  const chat: ChatOptions = { timeoutMs: settings.timeoutMs, signal: closing.signal };
  const known = new Set(store.connections.listIds());
  for (const name of readdirSync(folder)) {
    const id = keyFileName.exec(name)?.[1];
    if (id !== undefined && !known.has(id)) moveToTrash(path.join(folder, name), trash, settings.now());
  }
  const refused = new Map<string, Set<Parameter>>();
  /** Whether the connection can show a key; the file of one is missing after a restore without secrets. */
  const hasKey = (connection: ConnectionRecord) => connection.hasApiKey && existsSync(toKeyPath(connection.id));
  return {
    chat,
    /** The connection that generates examples for an organisation, or null: then the embedded teacher does. */
    findForGeneration: (organisationId: string): ConnectionRecord | null =>
      store.connections.getGenerating(organisationId),
    /** Reads the key, too, where the connection has one; throws `unavailable` when its file is missing. */
    toEndpoint(connection: ConnectionRecord): Endpoint {
      const { id, name, url, model, privateNetwork, hasApiKey } = connection;
      if (hasApiKey && !hasKey(connection)) {
        const message = `The key of the connection "${name}" is missing. Remove the connection and make it again.`;
        throw new WorkbenchError('unavailable', message);
      }
      const known = refused.get(id) ?? new Set();
      refused.set(id, known);
      const apiKey = hasApiKey ? readFileSync(toKeyPath(id), 'utf8') : null;
      return { url, model, privateNetwork, apiKey, refused: known };
    },
    hasKey,
    /** How many connections were made with a key whose file is missing. */
    countMissingKeys: () => store.connections.listIdsWithKey().filter((id) => !existsSync(toKeyPath(id))).length,
    /** Stores a connection with its key; the key first, so that no connection is without its file. */
    add(connection: ConnectionRecord, apiKey: string | null): void {
      if (apiKey !== null) writeDurably(toKeyPath(connection.id), Buffer.from(apiKey));
      try {
        store.connections.insert(connection);
      } catch (error) {
        rmSync(toKeyPath(connection.id), { force: true });
        throw error;
      }
    },
    /** Removes a connection and its key; returns false when the organisation has no such connection. */
    remove(id: string, organisationId: string): boolean {
      const removed = store.connections.remove(id, organisationId);
      refused.delete(id);
      if (removed) rmSync(toKeyPath(id), { force: true });
      return removed;
    },
    close: () => closing.abort(),
  };
}
