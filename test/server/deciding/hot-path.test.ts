/** The pieces of the hot path do what the plain form of each would do, on arbitrary values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDecideRequest } from '../../../src/door/deciding/decide-calls.ts';
import { mapMaybePromise } from '../../../src/door/maybe-promise.ts';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import { readJsonBody } from '../../../src/engine/strict-json/json-body.ts';
import { decideRequestSchema } from '../../../src/server/contract/deciding/decisions.ts';
import { writeNumber } from '../../../src/server/hot-path/write-number.ts';

const runs = { numRuns: 2_000 };

describe('a decide request', () => {
  const name = fc.oneof(fc.constantFrom('refunds', ''), fc.string(), fc.jsonValue());
  const input = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue());
  const body = fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue() },
    {
      weight: 4,
      arbitrary: fc.record(
        { decision_type: name, type: name, decision_type_name: name, input, color: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.string({ minLength: 1 }), input: fc.dictionary(fc.string(), fc.jsonValue()) }),
    },
  );

  it('is read exactly as its schema reads it', () => {
    let accepted = 0;
    fc.assert(
      fc.property(body, (value) => {
        // As the listener hands it on; a key `__proto__` never comes through.
        const json: unknown = JSON.parse(JSON.stringify(value), (key, member) =>
          key === '__proto__' ? undefined : member,
        );
        const bySchema = decideRequestSchema.safeParse(json);
        const read = readDecideRequest(json);
        expect(read.ok).toBe(bySchema.success);
        if (!read.ok || !bySchema.success) return;
        accepted += 1;
        const { decision_type, type, decision_type_name } = bySchema.data;
        expect(read.value).toEqual({
          decision_type: decision_type ?? type ?? decision_type_name,
          input: bySchema.data.input,
        });
      }),
      runs,
    );
    expect(accepted).toBeGreaterThan(runs.numRuns / 5);
  });

  it('names every problem below the place where it stands', () => {
    const read = readDecideRequest({ type: '', decision_type: 'a', color: 1, input: [] }, ['body', 3]);
    expect(read).toEqual({
      ok: false,
      problems: [
        { type: 'invalid_type', loc: ['body', 3, 'type'], msg: 'expected the name of a decision type' },
        { type: 'unrecognized_keys', loc: ['body', 3, 'color'], msg: 'unknown field: color' },
        { type: 'invalid_type', loc: ['body', 3, 'input'], msg: 'expected an object' },
      ],
    });
  });
});

describe('a JSON body', () => {
  /** A JSON document as it is written: an object may repeat a key, a number may be too large. */
  type Written =
    | { kind: 'plain'; text: string }
    | { kind: 'list'; items: Written[] }
    | { kind: 'object'; entries: [string, Written][] };

  const key = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.string({ unit: 'binary' }));
  const plain = fc
    .oneof(
      fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
      fc.constantFrom('1e999', '-1e999', '1e-999', '-0', '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"a:\\"{\\\\"'),
    )
    .map((text): Written => ({ kind: 'plain', text }));
  const { document } = fc.letrec<{ document: Written }>((tie) => ({
    document: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      plain,
      fc.array(tie('document'), { maxLength: 4 }).map((items): Written => ({ kind: 'list', items })),
      fc
        .array(fc.tuple(key, tie('document')), { maxLength: 4 })
        .map((entries): Written => ({ kind: 'object', entries })),
    ),
  }));

  function write(node: Written): string {
    if (node.kind === 'plain') return node.text;
    if (node.kind === 'list') return `[ ${node.items.map(write).join(' ,')}]`;
    return `{${node.entries.map(([name, value]) => `${JSON.stringify(name)}\n: ${write(value)}`).join(',')} }`;
  }

  const isStorable = (text: string) => text.isWellFormed() && !text.includes('\u0000');
  /** The stated limits, read from how the document is written. */
  function keepsLimits(node: Written): boolean {
    if (node.kind === 'list') return node.items.every(keepsLimits);
    if (node.kind === 'plain') {
      const value: unknown = JSON.parse(node.text);
      return typeof value === 'string' ? isStorable(value) : typeof value !== 'number' || Number.isFinite(value);
    }
    const names = node.entries.map(([name]) => name);
    return (
      new Set(names).size === names.length &&
      names.every((name) => name !== '__proto__' && isStorable(name)) &&
      node.entries.every(([, value]) => keepsLimits(value))
    );
  }

  it('is what JSON.parse reads, or is refused where a stated limit is broken', () => {
    let accepted = 0;
    fc.assert(
      fc.property(document, (node) => {
        const text = write(node);
        if (!keepsLimits(node)) {
          expect(() => readJsonBody(Buffer.from(text))).toThrow(WorkbenchError);
          return;
        }
        accepted += 1;
        expect(readJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
      runs,
    );
    expect(accepted).toBeGreaterThan(runs.numRuns / 5);
    expect(accepted).toBeLessThan(runs.numRuns);
  });

  it('is refused with a place wherever JSON.parse refuses it', () => {
    const damaged = fc
      .tuple(document, fc.nat(), fc.constantFrom('', ',', '}', ']', '"', ':', '0', 'x', '\\', '\u0001'))
      .map(([node, at, piece]) => {
        const text = write(node);
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string()), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson || text === '') return;
        expect(() => readJsonBody(Buffer.from(text))).toThrow(
          /^The body is not valid JSON: .* at line \d+, column \d+\.$/,
        );
      }),
      runs,
    );
  });

  it.each([
    ['a long string', `{"a":"${'x'.repeat(9_000_000)}"]`, 'unexpected character at line 1, column 9000008'],
    ['a long string that does not end', `["${'x'.repeat(9_000_000)}`, 'unexpected character at line 1, column 2'],
    ['escapes', `["${'\\\\'.repeat(4_000_000)}\\x"]`, 'unexpected character at line 1, column 2'],
    ['many lines', `[${'\n'.repeat(9_000_000)}}`, 'unexpected character at line 9000001, column 1'],
    ['a long number', `[${'1'.repeat(9_000_000)}x]`, 'unexpected character at line 1, column 2'],
  ])('names the place of a fault after %s', (_name, text, place) => {
    expect(() => readJsonBody(Buffer.from(text))).toThrow(`The body is not valid JSON: ${place}.`);
  });

  it('keeps each bound exactly', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    const wide = (keys: number) =>
      Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, index]))));
    expect(() => readJsonBody(nested(32))).not.toThrow();
    expect(() => readJsonBody(nested(33))).toThrow('more than 32 levels');
    expect(() => readJsonBody(wide(2_000))).not.toThrow();
    expect(() => readJsonBody(wide(2_001))).toThrow('more than 2000 keys');
    expect(readJsonBody(Buffer.alloc(0))).toBeUndefined();
  });
});

describe('a number of an answer', () => {
  it('is written as String writes it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()), (value) => {
        expect(writeNumber(value)).toBe(String(value));
      }),
      runs,
    );
  });
});

describe('a value that may be a promise', () => {
  it('is mapped at once where it is none, and with the promise where it is one', async () => {
    const double = (value: number) => 2 * value;
    expect(mapMaybePromise(21, double)).toBe(42);
    await expect(mapMaybePromise(Promise.resolve(21), double)).resolves.toBe(42);
    await expect(mapMaybePromise(Promise.reject(new Error('refused')), double)).rejects.toThrow('refused');
  });
});
