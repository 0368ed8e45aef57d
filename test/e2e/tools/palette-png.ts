/** Makes a screenshot small enough to keep: 256 of its colours as a palette, the others as the nearest of them. */
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

/** Reads a PNG of eight bits a channel without transparency, as Chromium writes it. */
function readPixels(png: Buffer): Pixels {
  if (png[24] !== 8 || png[25] !== 2) throw new Error('the picture is not made of 8-bit red, green and blue');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const parts: Buffer[] = [];
  for (let at = signatureBytes; at < png.length; at += png.readUInt32BE(at) + 12) {
    const isData = png.toString('latin1', at + 4, at + 8) === 'IDAT';
    if (isData) parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const lines = inflateSync(Buffer.concat(parts));
  const stride = width * 3;
  const rgb = new Uint8Array(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = lines[row * (stride + 1)] ?? 0;
    for (let at = 0; at < stride; at += 1) {
      const place = row * stride + at;
      const left = at < 3 ? 0 : (rgb[place - 3] ?? 0);
      const up = row === 0 ? 0 : (rgb[place - stride] ?? 0);
      const upLeft = row === 0 || at < 3 ? 0 : (rgb[place - stride - 3] ?? 0);
      rgb[place] = (lines[row * (stride + 1) + 1 + at] ?? 0) + predict(filter, left, up, upLeft);
    }
  }
  return { width, height, rgb };
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
