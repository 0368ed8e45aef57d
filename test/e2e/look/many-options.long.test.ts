/** As many options as people have, and inputs of 25 fields, in a small window: nothing needed is out of sight. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { terminal } from '../../server/workbench.ts';
import { goToAddress, goToPlace, isInSight, openWindow, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const rowsPerOption = 40;
/** How far the values of an option reach into its neighbours', so that some rows cannot be told apart. */
const reach = 1.6;
const fieldCount = 25;
const minRowsInSight = 12;
const manyCount = 150;

type Policy = {
  metrics: { confusion_labels: string[]; confusion_matrix: number[][]; per_class: Record<string, object> };
};

/** The report of a policy as one of 150 options has it, which takes minutes to train: each further option errs once. */
function addOptions(policy: Policy): Policy {
  const { confusion_labels: labels, confusion_matrix: matrix, per_class } = policy.metrics;
  const all = [...labels, ...Array.from({ length: manyCount - labels.length }, (_, index) => `topic ${index} of many`)];
  const [known] = Object.values(per_class);
  const wider = all.map((_, right) =>
    all.map((_, decided) => matrix[right]?.[decided] ?? Number(right >= labels.length && decided === right - 1)),
  );
  return {
    ...policy,
    metrics: {
      ...policy.metrics,
      confusion_labels: all,
      confusion_matrix: wider,
      per_class: Object.fromEntries(all.map((label) => [label, per_class[label] ?? { ...known }])),
    },
  };
}

const places = ['define', 'rules', 'examples?view=card&queue=all', 'examples?view=table&queue=all', 'import', 'train'];
const furtherPlaces = ['examples?queue=findings', 'evaluate', 'try', 'deploy', 'monitor'];
const sizes = [
  { width: 1024, height: 700 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];

/** Names, heads and acts of which a part is hidden by a box around them; the user's own data may end in dots. */
function listCutNames({ page }: Window): Promise<string[]> {
  return page.evaluate(() => {
    const hides = ({ overflowX, overflowY }: CSSStyleDeclaration, box: HTMLElement) =>
      (['hidden', 'clip'].includes(overflowX) && box.scrollWidth > box.clientWidth + 1) ||
      (['hidden', 'clip'].includes(overflowY) && box.scrollHeight > box.clientHeight + 2);
    const boxesOf = (element: HTMLElement) => [element, element.parentElement, element.parentElement?.parentElement];
    const names =
      '.words, .option *, .choice *, h1, h2, h3, th, [role=columnheader] *, label, button, .path a, .rail .text';
    return [...document.querySelectorAll<HTMLElement>(names)]
      .filter((element) => element.clientWidth > 2 && !element.closest('.hidden, [aria-hidden=true], .cm-editor'))
      .filter((element) => [...element.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE))
      .filter((element) => boxesOf(element).some((box) => box && hides(getComputedStyle(box), box)))
      .map((element) => element.textContent ?? '');
  });
}

describe('many options', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let few: string;
  let many: string;

  /** Makes and trains a type whose options follow one number, with fields beside it that say nothing; gives its id. */
  async function train(optionCount: number): Promise<string> {
    const options = Array.from({ length: optionCount }, (_, index) => `topic ${index} ${'long '.repeat(8).trim()}`);
    const name = `${optionCount} topics`;
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
    const path = `/api/v1/decision-types/${made.body.id}`;
    const examples = options.flatMap((decision, index) =>
      Array.from({ length: rowsPerOption }, (_, row) => ({
        input: {
          x: index + (reach * row) / rowsPerOption,
          ...Object.fromEntries(Array.from({ length: fieldCount - 1 }, (_, field) => [`field ${field}`, field])),
        },
        decision,
      })),
    );
    await workbench.call('POST', `${path}/examples`, { examples });
    const started = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, { tune_hyperparams: false });
    const progress = `${path}/policies/${started.body.policy_id}/progress`;
    while (!terminal(await workbench.call('GET', progress))) await wait(300);
    return made.body.id;
  }

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    few = await train(6);
    many = await train(24);
    opened = await openWindow(workbench, `#/types/${few}/evaluate`, { viewport: { width: 1024, height: 700 } });
    await opened.page.route(new RegExp(`/${many}/policies/[^/]+$`), async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: addOptions(await answer.json()) });
    });
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('six stand in a matrix of which every column is in sight', async () => {
    const { page } = opened;
    const heads = page.getByRole('table', { name: 'Right options against decided ones' }).getByRole('columnheader');
    await heads.first().waitFor();
    expect(await heads.count()).toBeGreaterThanOrEqual(6);
    await waitForQuiet(page);
    await heads.last().scrollIntoViewIfNeeded();
    // Where its text stands: a name at an angle is not in the middle of its head.
    const isRead = (head: Element) => {
      const text = document.createRange();
      text.selectNodeContents(head);
      const { left, top, width, height } = text.getBoundingClientRect();
      return head.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    };
    for (const head of await heads.all()) expect(await head.evaluate(isRead), await head.innerText()).toBe(true);
  });

  test.each(sizes)('no name, head or act is cut off at a width of $width', async (viewport) => {
    const { page } = opened;
    await page.setViewportSize(viewport);
    for (const place of [...places, ...furtherPlaces]) {
      await goToAddress(page, `#/types/${few}/${place}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await waitForQuiet(page);
      expect([place, await listCutNames(opened)]).toEqual([place, []]);
      if (!place.startsWith('examples?view=card')) continue;
      const answers = page.locator('.choice');
      for (const answer of await answers.all()) expect(await isInSight(answer), await answer.innerText()).toBe(true);
    }
    await page.setViewportSize({ width: 1024, height: 700 });
  });

  test('six have their commonest mistakes beside the matrix where it is wide', async () => {
    const { page } = opened;
    const table = (name: string) => page.getByRole('table', { name });
    await goToAddress(page, `#/types/${few}/evaluate`);
    await table('Right options against decided ones').waitFor();
    expect(await table('Commonest mistakes').count()).toBe(0);
    await page.setViewportSize({ width: 2560, height: 1440 });
    const list = await table('Commonest mistakes').boundingBox();
    const matrix = await table('Right options against decided ones').boundingBox();
    expect((list?.x ?? 0) - (matrix?.x ?? 0)).toBeGreaterThanOrEqual(matrix?.width ?? Number.POSITIVE_INFINITY);
    expect(Math.abs((list?.y ?? 0) - (matrix?.y ?? 0))).toBeLessThan(matrix?.height ?? 0);
    await page.setViewportSize({ width: 1024, height: 700 });
  });

  test('150 are shown as the commonest mistakes first, in sight, and a click opens their rows in sight', async () => {
    const { page } = opened;
    await goToAddress(page, `#/types/${many}/evaluate`);
    const cells = page.getByRole('button', { name: /^\d+ examples? of topic .* decided as topic/ });
    await cells.first().waitFor();
    const counts = (await cells.allInnerTexts()).map(Number);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1024);
    expect(await isInSight(cells.first())).toBe(true);
    await cells.first().click();
    const inspector = page.getByRole('region', { name: /decided as/ });
    const found = inspector.getByText(/\d+ examples?, most confident first/);
    await found.waitFor();
    expect(await isInSight(found)).toBe(true);
  });

  test('of 25 fields, the answer stays in sight at the last one', async () => {
    const { page } = opened;
    await goToPlace(page, 'Try');
    const answer = page.getByTestId('decision');
    await answer.getByText(/topic/).waitFor();
    const last = page.getByLabel(`field ${fieldCount - 2}`);
    await last.fill('3');
    expect([await isInSight(last), await isInSight(answer)]).toEqual([true, true]);
  });

  test('a table of examples shows a dozen rows and more', async () => {
    const { page } = opened;
    await goToPlace(page, 'Examples');
    // A row is wider than the window; its first cell says whether it is seen.
    const rows = page.getByRole('grid', { name: 'Examples' }).locator('[aria-selected] > [role=gridcell]:first-child');
    await rows.first().waitFor();
    const seen = await Promise.all((await rows.all()).map(isInSight));
    expect(seen.filter(Boolean).length).toBeGreaterThanOrEqual(minRowsInSight);
    expect(opened.faults).toEqual([]);
  });
});
