/** The image's own commands, run as its runtime would, on this machine. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';
import { Service, writeBundle } from './served.ts';

const edge = buildForAll();
const read = (name: string) => readFileSync(join(edge.folder, name), 'utf8');

function readCommand(instruction: RegExp): string[] {
  const [, command = '[]'] = new RegExp(`^(?:${instruction.source}) (\\[.*\\])$`, 'm').exec(read('Dockerfile')) ?? [];
  return JSON.parse(command);
}

it('The image serves its bundle, and knows whether it is well [SRV-8]', async () => {
  const entry = readCommand(/ENTRYPOINT/).map((part) => part.replace('/opt/decision-edge', edge.folder));
  const [command, bundle, ...options] = readCommand(/CMD/);
  expect([command, bundle, options]).toEqual(['serve', '/bundles/bundle.zip', ['--host', '0.0.0.0', '--port', '8080']]);
  const served = writeBundle(join(temporaryFolder(), 'bundle.zip'));
  const service = await Service.start([served, '--host', '0.0.0.0'], entry);
  expect((await service.decide({ amount: 4 })).decision).toBe('decline');
  const [program = '', ...health] = readCommand(/ {4}CMD/).map((part) => part.replace(':8080', `:${service.port}`));
  expect(spawnSync(program, health).status).toBe(0);
  expect(await service.stop()).toBe(0);
  expect(spawnSync(program, health).status).toBe(1);
});

it('The image runs without rights on a pinned base [SRV-8]', () => {
  const dockerfile = read('Dockerfile');
  expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  expect(dockerfile).toMatch(/^ARG NODE=node:\S+@sha256:[0-9a-f]{64}$/m);
  const compose = read('compose.yaml');
  const settings = ['read_only: true', 'cap_drop: [ALL]', '/bundles:ro', '"127.0.0.1:8080:8080"'];
  for (const setting of settings) expect(compose).toContain(setting);
});
