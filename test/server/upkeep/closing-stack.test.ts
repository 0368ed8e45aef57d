/** How the parts of the program are closed. */
import { describe, expect, it } from 'vitest';
import { ClosingStack } from '../../../src/server/process/closing-stack.ts';

/** Registers parts that note their closing; those named in `broken` fail at it. */
function openParts(closing: ClosingStack, closed: string[], broken: string[] = []): void {
  for (const part of ['database', 'jobs', 'listener']) {
    closing.defer(async () => {
      await Promise.resolve();
      closed.push(part);
      if (broken.includes(part)) throw new Error(`the ${part} is stuck`);
    });
  }
}

describe('parts that were opened one after the other', () => {
  it('are closed once, the last first', async () => {
    const closing = new ClosingStack();
    const closed: string[] = [];
    openParts(closing, closed);
    await closing.close();
    await closing.close();
    expect(closed).toEqual(['listener', 'jobs', 'database']);
  });

  it('are all closed although one of them fails to, and its error is told', async () => {
    for (const broken of [['jobs'], ['jobs', 'listener']]) {
      const closing = new ClosingStack();
      const closed: string[] = [];
      openParts(closing, closed, broken);
      const error: unknown = await closing.close().catch((thrown: unknown) => thrown);
      expect(closed).toEqual(['listener', 'jobs', 'database']);
      if (broken.length === 1) expect(error).toEqual(new Error('the jobs is stuck'));
      else
        expect(error).toMatchObject({ errors: [new Error('the listener is stuck'), new Error('the jobs is stuck')] });
    }
  });

  it('are closed when the next one cannot be opened, whose error is the one that counts', async () => {
    const closing = new ClosingStack();
    const closed: string[] = [];
    const start = closing.closeUnless(async () => {
      openParts(closing, closed, ['database']);
      throw new Error('the port is busy');
    });
    await expect(start).rejects.toThrow('the port is busy');
    expect(closed).toEqual(['listener', 'jobs', 'database']);
    expect(await new ClosingStack().closeUnless(async () => 'open')).toBe('open');
  });
});
