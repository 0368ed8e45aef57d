/** The name of a decision type after its file. */

const spelledOut: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'oe',
  å: 'aa',
  ł: 'l',
  đ: 'd',
};

/** Makes “buchungen-maerz” of “Buchungen März.csv”: letters of other alphabets stay as they are. */
export function toTypeName(fileName: string): string {
  const name = fileName
    .replace(/\.[^.]+$/, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^a-z]/g, (letter) => spelledOut[letter] ?? letter)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return name || 'decisions';
}
