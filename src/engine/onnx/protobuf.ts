/** The wire format of Protocol Buffers, as far as ONNX files use it. */
import { strFromU8, strToU8 } from 'fflate';

/** One field of a protobuf message as it lies on the wire; 64-bit varints beyond 2^53 are refused. */
export type WireField =
  | { number: number; type: 'varint'; value: number }
  | { number: number; type: 'bytes'; value: Uint8Array }
  | { number: number; type: 'fixed'; value: Uint8Array };

/** A file that is no ONNX file, or not one of this product; the message is a clause about it. */
export class OnnxError extends Error {
  override readonly name = 'OnnxError';
}

/** Refuses a file that is being read. */
export function refuse(problem: string): never {
  throw new OnnxError(problem);
}

const refuseFormat = (problem: string): never => refuse(`is not an ONNX file (${problem})`);

/** The bytes of a message from those of its fields. */
export function encodeMessage(fields: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(fields.reduce((sum, field) => sum + field.length, 0));
  let at = 0;
  for (const field of fields) {
    out.set(field, at);
    at += field.length;
  }
  return out;
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  pushVarint(bytes, value);
  return Uint8Array.from(bytes);
}

/** A varint field holding a whole number from 0 to 2^53 - 1. */
export function encodeNumber(field: number, value: number): Uint8Array {
  return encodeMessage([encodeVarint(field * 8), encodeVarint(value)]);
}

/** Encodes a length-delimited field. */
export function encodeBytes(field: number, value: Uint8Array): Uint8Array {
  return encodeMessage(encodeParts(field, [value]));
}

/** The pieces of a length-delimited field, whose value is what `parts` are one behind the other; none is copied. */
export function encodeParts(field: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [encodeVarint(field * 8 + 2), encodeVarint(length), ...parts];
}

/** Encodes a text field as UTF-8. */
export function encodeString(field: number, value: string): Uint8Array {
  return encodeBytes(field, strToU8(value));
}

/** A packed repeated field of whole numbers from 0 to 2^53 - 1. */
export function encodeNumbers(field: number, values: Int32Array): Uint8Array {
  const packed: number[] = [];
  for (const value of values) pushVarint(packed, value);
  return encodeBytes(field, Uint8Array.from(packed));
}

/** Encodes a field as it was read, without knowing its message. */
export function encodeField({ number, type, value }: WireField): Uint8Array {
  if (type === 'varint') return encodeNumber(number, value);
  if (type === 'bytes') return encodeBytes(number, value);
  return encodeMessage([encodeVarint(number * 8 + (value.length === 8 ? 1 : 5)), value]);
}

function readVarint(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0;
  let scale = 1;
  for (let at = start; ; at++) {
    const byte = bytes[at];
    if (byte === undefined) return refuseFormat(`number cut off at byte ${at}`);
    value += (byte & 127) * scale;
    if (value > Number.MAX_SAFE_INTEGER) return refuseFormat(`number too large at byte ${at}`);
    if (byte < 128) return { value, next: at + 1 };
    scale *= 128;
  }
}

/** The fields of one message, in order. Throws OnnxError on anything that does not fit inside `bytes`. */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const number = (): number => {
    const { value, next } = readVarint(bytes, at);
    at = next;
    return value;
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) return refuseFormat(`field at byte ${at} is longer than its message`);
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = number();
    const field = Math.floor(key / 8);
    const wireType = key % 8;
    if (wireType === 0) fields.push({ number: field, type: 'varint', value: number() });
    else if (wireType === 2) fields.push({ number: field, type: 'bytes', value: take(number()) });
    else if (wireType === 1) fields.push({ number: field, type: 'fixed', value: take(8) });
    else if (wireType === 5) fields.push({ number: field, type: 'fixed', value: take(4) });
    else return refuseFormat(`wire type ${wireType} at byte ${at} is not supported`);
  }
  return fields;
}

/** The values of a repeated length-delimited field, in order. */
export function listBytes(fields: readonly WireField[], number: number): Uint8Array[] {
  return fields.flatMap((field) => (field.number === number && field.type === 'bytes' ? [field.value] : []));
}

/** The text of a field, or an empty string where it is absent (protobuf's default). */
export function readString(fields: readonly WireField[], number: number): string {
  const value = listBytes(fields, number).at(-1);
  return value === undefined ? '' : strFromU8(value);
}

/** The number of a varint field, or 0 where it is absent (protobuf's default). */
export function readNumber(fields: readonly WireField[], number: number): number {
  let value = 0;
  for (const field of fields) if (field.number === number && field.type === 'varint') value = field.value;
  return value;
}

/** The numbers of a repeated varint field, packed or not. */
export function readNumbers(fields: readonly WireField[], number: number): number[] {
  return fields.flatMap((field) => {
    if (field.number !== number) return [];
    if (field.type === 'varint') return [field.value];
    if (field.type !== 'bytes') return [];
    const packed: number[] = [];
    for (let at = 0; at < field.value.length; ) {
      const { value, next } = readVarint(field.value, at);
      packed.push(value);
      at = next;
    }
    return packed;
  });
}
