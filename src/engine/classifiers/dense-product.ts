/** Products of dense matrices by WebAssembly's vector instructions, with the same bits on every machine. */
import { denseProductCode } from './dense-product-code.ts';

/** A matrix whose rows (`step` is 1) or columns (`stride` is 1) stand without gaps. */
export type Matrix = { data: Float64Array; rows: number; columns: number; stride: number; step: number };

/** The part of the standard interface used here: the engine is compiled without the browser's types. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (
    module: object,
  ) => {
    exports: {
      memory: { buffer: ArrayBuffer };
      /** See dense-product.wat. */
      addProduct(
        a: number,
        rowStride: number,
        columnStride: number,
        rows: number,
        columns: number,
        b: number,
        out: number,
        stride: number,
      ): void;
    };
  };
};

/** The largest parts that are multiplied at once; a part of each matrix has its place in the memory of 18 pages. */
const part = { rows: 64, columns: 384, width: 256 };
const code = Uint8Array.from(denseProductCode.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const { memory, addProduct: multiply } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
// Nothing in this memory outlives a call of addProduct.
const partOfMatrix = new Float64Array(memory.buffer, 0, part.rows * part.columns);
const partOfSource = new Float64Array(memory.buffer, partOfMatrix.byteLength, part.columns * part.width);
const partOfOut = new Float64Array(
  memory.buffer,
  partOfMatrix.byteLength + partOfSource.byteLength,
  part.rows * part.width,
);
const bytes = Float64Array.BYTES_PER_ELEMENT;

const roundUpToEven = (count: number) => count + (count & 1);

/** Copies `lines` of `length` numbers, `fromStride` and `toStride` numbers apart. */
function copyLines(
  from: Float64Array,
  fromStart: number,
  fromStride: number,
  to: Float64Array,
  toStart: number,
  toStride: number,
  lines: number,
  length: number,
): void {
  if (fromStride === length && toStride === length) {
    to.set(from.subarray(fromStart, fromStart + lines * length), toStart);
    return;
  }
  for (let line = 0; line < lines; line++) {
    const read = fromStart + line * fromStride;
    const write = toStart + line * toStride;
    for (let i = 0; i < length; i++) to[write + i] = from[read + i];
  }
}

/**
 * out[r, k] += Σ_c matrix[r, c] · source[c, k] for k < width; `out` and `source` start at `outFrom` and `sourceFrom`
 * and have rows of `width` numbers.
 */
export function addProduct(
  { data, rows, columns, stride, step }: Matrix,
  source: Float64Array,
  sourceFrom: number,
  out: Float64Array,
  outFrom: number,
  width: number,
): void {
  for (let k = 0; k < width; k += part.width) {
    const w = Math.min(part.width, width - k);
    const line = roundUpToEven(w);
    for (let c = 0; c < columns; c += part.columns) {
      const n = Math.min(part.columns, columns - c);
      copyLines(source, sourceFrom + c * width + k, width, partOfSource, 0, line, n, w);
      for (let r = 0; r < rows; r += part.rows) {
        const m = Math.min(part.rows, rows - r);
        const even = roundUpToEven(m);
        const from = r * stride + c * step;
        if (step === 1) copyLines(data, from, stride, partOfMatrix, 0, n, m, n);
        else copyLines(data, from, step, partOfMatrix, 0, even, n, m);
        const at = outFrom + r * width + k;
        copyLines(out, at, width, partOfOut, 0, line, m, w);
        const [rowStride, columnStride] = step === 1 ? [n, 1] : [1, even];
        multiply(
          partOfMatrix.byteOffset,
          rowStride * bytes,
          columnStride * bytes,
          even,
          n,
          partOfSource.byteOffset,
          partOfOut.byteOffset,
          line * bytes,
        );
        copyLines(partOfOut, 0, line, out, at, width, m, w);
      }
    }
  }
}
