/** SHA-256 (FIPS 180-4) where the platform has none that answers at once: browsers only have an asynchronous one. */

const firstPrimes = (count: number): number[] => {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
};
const toFraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) >>> 0;

const roundConstants = Uint32Array.from(firstPrimes(64), (prime) => toFraction(Math.cbrt(prime)));
const startState = Uint32Array.from(firstPrimes(8), (prime) => toFraction(Math.sqrt(prime)));
const blockBytes = 64;

/** The SHA-256 of bytes, as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array): string {
  const state = startState.slice();
  const words = new Uint32Array(64);
  const wholeBytes = bytes.length - (bytes.length % blockBytes);
  const body = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < wholeBytes; at += blockBytes) addBlock(state, words, body, at);
  const rest = bytes.subarray(wholeBytes);
  const end = new DataView(new ArrayBuffer(rest.length + 9 > blockBytes ? 2 * blockBytes : blockBytes));
  rest.forEach((byte, at) => {
    end.setUint8(at, byte);
  });
  end.setUint8(rest.length, 0x80);
  end.setBigUint64(end.byteLength - 8, BigInt(bytes.length) * 8n);
  for (let at = 0; at < end.byteLength; at += blockBytes) addBlock(state, words, end, at);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function addBlock(state: Uint32Array, words: Uint32Array, view: DataView, at: number): void {
  const word = (index: number) => words[index] ?? 0;
  for (let t = 0; t < 16; t++) words[t] = view.getUint32(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const [before15, before2] = [word(t - 15), word(t - 2)];
    const s0 = turn(before15, 7) ^ turn(before15, 18) ^ (before15 >>> 3);
    const s1 = turn(before2, 17) ^ turn(before2, 19) ^ (before2 >>> 10);
    words[t] = word(t - 16) + s0 + word(t - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (roundConstants[t] ?? 0) + word(t)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value;
}

const turn = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));
