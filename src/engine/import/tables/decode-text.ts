/** Every platform of the engine has it, the language's own library does not name it. */
declare const TextDecoder: new (label: string, options?: { fatal: boolean }) => { decode(bytes: Uint8Array): string };

type DecodedText = { text: string; encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252 (Latin-1)' };

const sampleBytes = 4_096;

/** The share of zero bytes at even (0) or odd (1) places: in UTF-16 one of them is high for most scripts. */
function countZeros(bytes: Uint8Array, parity: 0 | 1): number {
  let zeros = 0;
  const length = Math.min(bytes.length, sampleBytes);
  for (let index = parity; index < length; index += 2) if (bytes[index] === 0) zeros += 1;
  return zeros / Math.max(1, length / 2);
}

function findUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (countZeros(bytes, 1) > 0.4) return 'utf-16le';
  return countZeros(bytes, 0) > 0.4 ? 'utf-16be' : null;
}

/** Decodes a text: UTF-16 by its mark or its zeros, UTF-8 where it is valid, else Windows-1252. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const utf16 = findUtf16(bytes);
  if (utf16) return { text: new TextDecoder(utf16).decode(bytes), encoding: 'UTF-16' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252 (Latin-1)' };
  }
}
