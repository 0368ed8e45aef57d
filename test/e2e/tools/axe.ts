/** What axe finds wrong with a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * Every violation of any impact, with the places where it was found: of every rule, or of those about colours, which
 * alone can differ from theme to theme.
 */
export async function listViolations(page: Page, rules: 'every' | 'colours' = 'every'): Promise<string[]> {
  // Evaluated by the debugger, which the page's security policy does not bind.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const options: RunOptions = rules === 'colours' ? { runOnly: { type: 'rule', values: colourRules } } : {};
  const results = await page.evaluate(
    (chosen) => (window as unknown as { axe: { run(chosen: RunOptions): Promise<AxeResults> } }).axe.run(chosen),
    options,
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
