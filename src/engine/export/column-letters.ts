/** The letters of a column in a spreadsheet: A for 0, AA for 26. */
export function toLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : toLetters(Math.floor(column / 26) - 1) + letter;
}
