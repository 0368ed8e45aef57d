/**
 * Makes a screenshot small enough to keep, 256 of its colours as a palette and the others as the nearest of them, and
 * says how much of a kept one looks otherwise now.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signatureBytes = 8;
const maxColours = 256;
/** The most frequent colours; the rest of the palette are those furthest from it, such as the mark of an option. */
const maxFrequent = 192;

type Pixels = { width: number; height: number; rgb: Uint8Array };

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The byte that a filter of the PNG format (section 9) adds to: 0 none, 1 left, 2 up, 3 their mean, 4 Paeth's choice. */
function predict(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - upLeft;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)];
  return a <= b && a <= c ? left : b <= c ? up : upLeft;
}

function readChunks(png: Buffer, name: string): Buffer {
  const parts: Buffer[] = [];
  for (let at = signatureBytes; at < png.length; at += png.readUInt32BE(at) + 12) {
    const isAsked = png.toString('latin1', at + 4, at + 8) === name;
    if (isAsked) parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return Buffer.concat(parts);
}

/** Reads a PNG of eight bits a channel without transparency, as Chromium writes it, or one with a palette. */
function readPixels(png: Buffer): Pixels {
  const hasPalette = png[25] === 3;
  if (png[24] !== 8 || (png[25] !== 2 && !hasPalette)) throw new Error('the picture is not made of 8-bit colours');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const lines = inflateSync(readChunks(png, 'IDAT'));
  const step = hasPalette ? 1 : 3;
  const stride = width * step;
  const read = new Uint8Array(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = lines[row * (stride + 1)] ?? 0;
    for (let at = 0; at < stride; at += 1) {
      const place = row * stride + at;
      const left = at < step ? 0 : (read[place - step] ?? 0);
      const up = row === 0 ? 0 : (read[place - stride] ?? 0);
      const upLeft = row === 0 || at < step ? 0 : (read[place - stride - step] ?? 0);
      read[place] = (lines[row * (stride + 1) + 1 + at] ?? 0) + predict(filter, left, up, upLeft);
    }
  }
  if (!hasPalette) return { width, height, rgb: read };
  const palette = readChunks(png, 'PLTE');
  const rgb = new Uint8Array(width * height * 3);
  for (let at = 0; at < rgb.length; at += 1) rgb[at] = palette[(read[Math.floor(at / 3)] ?? 0) * 3 + (at % 3)] ?? 0;
  return { width, height, rgb };
}

/** Letters and figures of other fonts and days hardly change the mean colour of a square of so many pixels. */
const squarePx = 64;
/** Of 255: a square whose mean colour differs by more looks otherwise. */
const maxChange = 6;

/** The mean red, green and blue of each square, row by row. */
function shrink({ width, height, rgb }: Pixels): Float64Array {
  const columns = Math.ceil(width / squarePx);
  const sums = new Float64Array(columns * Math.ceil(height / squarePx) * 3);
  const counts = new Float64Array(sums.length);
  for (let y = 0, at = 0; y < height; y += 1) {
    const above = Math.floor(y / squarePx) * columns;
    for (let x = 0; x < width; x += 1) {
      for (let colour = 0; colour < 3; colour += 1, at += 1) {
        const square = (above + Math.floor(x / squarePx)) * 3 + colour;
        sums[square] = (sums[square] ?? 0) + (rgb[at] ?? 0);
        counts[square] = (counts[square] ?? 0) + 1;
      }
    }
  }
  return sums.map((sum, square) => sum / (counts[square] ?? 1));
}

/** The share, 0 to 1, of the squares of a picture that look otherwise in another of its size. */
export function compareLooks(kept: Buffer, now: Buffer): number {
  const [before, after] = [readPixels(kept), readPixels(now)];
  if (before.width !== after.width || before.height !== after.height) return 1;
  const [one, other] = [shrink(before), shrink(after)];
  const changed = new Set<number>();
  for (let at = 0; at < one.length; at += 1)
    if (Math.abs((one[at] ?? 0) - (other[at] ?? 0)) > maxChange) changed.add(Math.floor(at / 3));
  return changed.size / (one.length / 3);
}

function distance(a: number, b: number): number {
  const [red, green, blue] = [(a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255)];
  return red * red + green * green + blue * blue;
}

/** The same picture with a palette. */
export function toPalettePng(png: Buffer): Buffer {
  const { width, height, rgb } = readPixels(png);
  const colourAt = (pixel: number) =>
    ((rgb[pixel * 3] ?? 0) << 16) | ((rgb[pixel * 3 + 1] ?? 0) << 8) | (rgb[pixel * 3 + 2] ?? 0);
  const counts = new Map<number, number>();
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const colour = colourAt(pixel);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const colours = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const nearest = colours.map((colour) => ({ colour, place: 0, far: Number.POSITIVE_INFINITY }));
  const palette: number[] = [];
  while (palette.length < Math.min(maxColours, colours.length)) {
    const furthest = nearest.reduce((found, each) => (each.far > found.far ? each : found));
    const added = palette.length < maxFrequent ? (colours[palette.length] ?? 0) : furthest.colour;
    for (const each of nearest) {
      const far = distance(added, each.colour);
      if (far < each.far) Object.assign(each, { far, place: palette.length });
    }
    palette.push(added);
  }
  const places = new Map(nearest.map(({ colour, place }) => [colour, place]));
  const lines = new Uint8Array((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    lines[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = places.get(colourAt(pixel)) ?? 0;
  }
  const header = Buffer.from(png.subarray(16, 29));
  header[9] = 3;
  return Buffer.concat([
    png.subarray(0, signatureBytes),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ]);
}
