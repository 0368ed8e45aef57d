/** Somebody who hands the built program on finds in it what it is made of, and under which terms. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test('the built server has the licences of what is in it, and a bill of what it is built from [PRV-3]', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-built-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts', '--server', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const licenses = readFileSync(join(folder, 'licenses.md'), 'utf8');
  // Native modules are not in the folder; those of the page have a list of their own.
  for (const name of ['fastify', 'zod', 'onnxruntime-node', 'react']) {
    const isInside = name === 'fastify' || name === 'zod';
    expect([name, licenses.includes(`\n## ${name} `)]).toEqual([name, isInside]);
  }
  expect(licenses.match(/Permission is hereby granted, free of charge/g)?.length).toBeGreaterThan(40);
  const bom = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  expect([bom.bomFormat, bom.metadata.component.version]).toEqual(['CycloneDX', version]);
  const scopes = new Map(bom.components.map(({ name, scope }: { name: string; scope: string }) => [name, scope]));
  const needed = ['zod', 'fastify', 'better-sqlite3', 'vitest'].map((name) => scopes.get(name));
  expect(needed).toEqual(['required', 'required', 'required', 'optional']);
  const listed = new Map(bom.components.map(({ name, version: of }: { name: string; version: string }) => [name, of]));
  for (const [name, of] of Object.entries(dependencies)) expect([name, listed.get(name)]).toEqual([name, of]);
});
