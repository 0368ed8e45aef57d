/** What axe finds wrong with a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every violation of any impact, with the places where it was found. */
export async function listViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's security policy does not bind.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const results = await page.evaluate(
    async () => (await (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run()) as AxeResults,
  );
  // Text in the very colour of its ground is what axe leaves to a look.
  const invisible = results.incomplete.flatMap(({ id, nodes }) => {
    const same = nodes.filter(({ any }) => any.some(({ data }) => data?.messageKey === 'equalRatio'));
    return same.length > 0 ? [{ id, nodes: same }] : [];
  });
  return [...results.violations, ...invisible].map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`,
  );
}
