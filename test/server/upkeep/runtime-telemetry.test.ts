/** The workbench calls nobody: also not the runtime of its models. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../workbench.ts';

const session = resolve(import.meta.dirname, '../../../src/server/runtime/encoder/onnx-session.ts');

test('opening a model leaves no id of the machine and no events to be sent [EDG-8]', () => {
  const home = temporaryFolder();
  // That these bytes are no model is found out by a runtime that has started.
  const program = `
    const { runModel } = await import(${JSON.stringify(pathToFileURL(session).href)});
    await runModel(new Uint8Array(8), []).catch((error) => console.log(error.message));
  `;
  const { ORT_DISABLE_TELEMETRY: _set, ...others } = process.env;
  const env = { ...others, HOME: home, USERPROFILE: home };
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env,
    encoding: 'utf8',
  });
  expect(stdout, stderr).toContain('protobuf parsing failed');
  expect(readdirSync(home)).toEqual([]);
});
