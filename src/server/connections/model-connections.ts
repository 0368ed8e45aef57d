/** The connected teachers of the organisations: their endpoints with the key that only this module reads. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeDurably } from '../process/durable-file.ts';
import type { ConnectionRow } from '../store/connections.ts';
import type { Store } from '../store/store.ts';
import type { ChatOptions, Endpoint } from './chat-client.ts';

export type ModelConnections = {
  /** The connection that generates examples for an organisation, or null: then the embedded teacher does. */
  findForGeneration(organisationId: string): ConnectionRow | null;
  toEndpoint(row: ConnectionRow): Endpoint;
  /** Stores a connection with its key; the key first, so that no row is without its file. */
  add(row: ConnectionRow, apiKey: string | null): void;
  /** False when there is no such connection. */
  remove(id: string, organisationId: string): boolean;
  /** Time limit of a question, and the end of the program. */
  readonly chat: ChatOptions;
  close(): void;
};

const keyFile = /^connection-(.+)\.key$/;

/** Opens the teachers; key files that belong to no connection (an interrupted change) are removed. */
export function openModelConnections(store: Store, settings: { dataDir: string; timeoutMs: number }): ModelConnections {
  const folder = path.join(settings.dataDir, 'secrets');
  const fileOf = (id: string) => path.join(folder, `connection-${id}.key`);
  const closing = new AbortController();
  const known = new Set(store.connections.ids());
  for (const name of readdirSync(folder)) {
    const id = keyFile.exec(name)?.[1];
    if (id !== undefined && !known.has(id)) rmSync(path.join(folder, name), { force: true });
  }
  return {
    chat: { timeoutMs: settings.timeoutMs, signal: closing.signal },
    findForGeneration: (organisationId) =>
      store.connections.list(organisationId).find((row) => row.generates === 1) ?? null,
    toEndpoint: (row) => ({
      url: row.url,
      model: row.model,
      privateNetwork: row.private_network === 1,
      apiKey: row.has_api_key === 1 ? readFileSync(fileOf(row.id), 'utf8') : null,
    }),
    add(row, apiKey) {
      if (apiKey !== null) writeDurably(fileOf(row.id), Buffer.from(apiKey));
      try {
        store.connections.insert(row);
      } catch (error) {
        rmSync(fileOf(row.id), { force: true });
        throw error;
      }
    },
    remove(id, organisationId) {
      const removed = store.connections.remove(id, organisationId);
      if (removed) rmSync(fileOf(id), { force: true });
      return removed;
    },
    close: () => closing.abort(),
  };
}
