/** Bounds that code, contract, page, documents and the Python package state: each number is written here alone. */
export const limits = {
  /** Labelled examples that a training needs, and from which an option may be decided alone. */
  minExamples: 38,
  minExamplesPerOption: 38,
  /** Labelled examples from which an option is learned. */
  leastExamplesPerOption: 2,
  minOptions: 2,
  maxOptions: 200,
  maxReasonCodes: 500,
  maxReasonCodesPerExample: 50,
  maxRules: 200,
  /** Named lists of a decision type, and values of one. */
  maxLists: 100,
  maxListValues: 1_000,
  /** Characters of the readings of a type's fields, as JSON: half of a manifest has room for the fields beside them. */
  maxReadingsCharacters: 100_000,
  maxReadingNameLength: 400,
  /** Characters of a decision type's name; of an option, a reason code, a rule's name or a value of a list. */
  maxTypeNameLength: 100,
  maxNameLength: 200,
  /** UTF-8 bytes of a rule's condition. */
  maxConditionBytes: 4_096,
  /** Keys of one object that is sent, and levels of objects and lists within one another. */
  maxInputKeys: 2_000,
  maxInputDepth: 32,
  maxBatchSize: 50,
  /** Questions of one call in a format of decision models; questions that an organisation's types answer. */
  maxQuestionsPerCall: 128,
  maxQuestions: 1_000,
  /** Examples that one call adds, that one call generates, that a decision type holds. */
  maxExamplesPerCall: 10_000,
  maxGeneratedPerCall: 50,
  maxExamples: 200_000,
  /** Bytes of a file that is imported, packed or not. */
  maxImportBytes: 100_000_000,
  /** MiB of the characters of an import's rows, in each of which the names of the columns stand again. */
  maxImportedMebibytes: 128,
  /** Bytes of a call that adds examples or merges an export. */
  maxExamplesBytes: 16 * 1024 * 1024,
  /** Decisions of a week that are drawn to be judged blind: each decision looks at this many before it. */
  maxAuditPerWeek: 1_000,
  /** Fields by which groups of a type are compared, and the rows of which something is said. */
  maxGroupFields: 3,
  minGroupRows: 5,
  /** Columns of the embedding that the shipped text encoder makes, and the tokens that it reads. */
  embeddingDimensions: 384,
  maxEncoderTokens: 256,
  /** Tokens around a text, those of a prefix included. */
  maxFrameTokens: 16,
  /** Rank of the encoder's adapters that a bundle may have. */
  maxAdapterRank: 64,
  /** Code points of an input's text that are read; a long text would keep every other call waiting. */
  maxTextCharacters: 20_000,
  /** Code points of a text that is HTML in which its readable text is looked for. */
  maxMarkupCharacters: 250_000,
} as const;

/** How much of a file is read, and what to do, wherever one holds more; null: its size is not known. */
export function describeFileBound(bytes: number | null, maxBytes: number = limits.maxImportBytes): string {
  const held = bytes === null ? 'more' : `${Math.ceil(bytes / 1_000_000)} MB`;
  return `The file holds ${held}; at most ${Math.floor(maxBytes / 1_000_000)} MB are read. Import it in several parts.`;
}

/** Why a decision type takes no more examples, and what to do, wherever more are refused. */
export const exampleBound = `A decision type holds at most ${limits.maxExamples.toLocaleString('en-US')} examples, all of which a training keeps in memory. Import a random sample of the rows.`;
