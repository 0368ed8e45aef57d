/** Bounds on the size of a condition and on the cost of its evaluation. docs/rules.md states the same bounds. */
export const ruleLimits = {
  /** Nodes above one another in a syntax tree, the root included. */
  maxDepth: 24,
  /** Nodes of a syntax tree, the values of a named list counted wherever it is named. */
  maxNodes: 2_000,
  /** Bytes of the trees of all rules as JSON: a bundle's rules.json has room for them. */
  maxTreesBytes: 7_000_000,
  /** Comprehensions inside one another. */
  maxComprehensionDepth: 2,
  /** Members of a list or map that one comprehension goes over. */
  maxComprehensionMembers: 1000,
  /** Steps of one rule on one input. */
  maxSteps: 100_000,
  /** Steps of all rules on one input. */
  maxStepsTogether: 400_000,
  /** Code points of a string that `+` makes. */
  maxStringLength: 262_144,
  /** Members of a list that `+` makes. */
  maxListLength: 10_000,
  /** Instructions of a compiled pattern. */
  maxPatternSize: 5000,
  /** Instructions of all compiled patterns of a decision type's rules; what is not a pattern counts as 1,000. */
  maxPatternsSize: 30_000,
} as const;
