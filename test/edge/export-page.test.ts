/** A policy saved as a page, by REST; test/e2e/decision-page.long.test.ts opens such pages in a browser. */
import { expect, it } from 'vitest';
import { unpackBundle } from '../../src/engine/bundle/bundle.ts';
import { sha256 } from '../engine/bundle-fixture.ts';
import { deployForAll, loanExamples, loanType, openForTest, temporaryFolder } from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';

const edge = buildForAll();
const loan = deployForAll(loanType, loanExamples(40));

it('is one file with the bundle inside, which may connect to nothing [EDG-13]', async () => {
  const { call } = await openForTest({ dataDir: loan.copy(), edgeDir: edge.folder });
  const { status, headers, text } = await call('GET', `${loan.url}/export/page`);
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="loan-v1-[0-9a-f]{8}\.html"/);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1];
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'/);
  expect(text).toContain('<h1 id="name">loan</h1>');
  expect(text).not.toMatch(/%(?:TITLE|BUNDLE|EVAL)%/);
  const bundle = /<script type="text\/plain" id="bundle">([^<]+)</.exec(text)?.[1] ?? '';
  expect(unpackBundle(new Uint8Array(Buffer.from(bundle, 'base64')), sha256).manifest.decision_type).toBe('loan');
});

it('needs the page to be built, and says so [EDG-13]', async () => {
  const { call } = await openForTest({ dataDir: loan.copy(), edgeDir: temporaryFolder() });
  const { status, body } = await call('GET', `${loan.url}/export/page`);
  expect([status, body.error.code]).toEqual([503, 'unavailable']);
  expect(body.error.message).toContain('Run npm run build');
});
