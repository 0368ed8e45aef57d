/** Likely encodings of a text that is not UTF-8, without a detector of a megabyte: Western unless the bytes object. */
export const detectAll = (): { encoding: string; confidence: number }[] => [
  { encoding: 'windows-1252', confidence: 1 },
];
