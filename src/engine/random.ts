/** Seeded random numbers and stable hashes: the only randomness in the engine. */
import { cos, log } from './exact-math.ts';

/** A generator of uniform numbers in [0, 1). */
export type Random = () => number;

/** Makes a generator by Mulberry32, good enough for shuffling and search; a seed gives one sequence. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A random stream that follows from the seed of a training run, and one that is the same in every run. */
const ofRun = (offset: number) => (runSeed: number) => runSeed + offset;
const fixed = (seed: number) => () => seed;

/** Each use of randomness by name; its number is part of what a training means, so numbers stay. */
export const randomStreams = {
  /** Rows and fields that boosted trees look at in each round. */
  modelFit: ofRun(0),
  macroF1Bootstrap: ofRun(0),
  /** Choices of the embedded teacher; every option has a sequence of its own below it. */
  teacher: ofRun(0),
  linearFolds: ofRun(1),
  treeConfirmationFit: ofRun(1),
  treeSearch: ofRun(2),
  treeFolds: ofRun(3),
  treeConfirmationFolds: ofRun(4),
  /** Folds that decide which reason codes get a head. */
  reasonFolds: ofRun(5),
  /** Folds in which every labelled row is predicted by a model that has not seen it; each deal adds one. */
  outOfFoldFolds: ofRun(6),
  /** The first adapters of a text model that is tuned, and the batches it is tuned on. */
  textTuning: ofRun(7),
  /** The part of a large set that these models are fitted on. */
  outOfFoldPart: fixed(13),
  /** Folds of the drawn rows, each of which is left out once. */
  drawnFolds: ofRun(8),
  heldOutSplit: fixed(0),
  /** The part of a large set that heads are compared on. */
  linearSubset: fixed(7),
  /** The part of a large set that trees are compared on. */
  treeSubset: fixed(11),
  familiarityFolds: fixed(11),
  learningCurveParts: fixed(23),
  probeTexts: fixed(41),
  /** Rows that a text model is not tuned on, and the part of a large set that it is tuned on. */
  textTuningFold: fixed(59),
  textTuningPart: fixed(61),
  calibrationHalves: fixed(97),
  /** Where grids lie over the numbers of rows that may nearly repeat each other. */
  nearRepeatGrids: fixed(151),
  /** Live decisions that are drawn to be judged. */
  auditDraw: fixed(149),
  /** The half of the examples in which rules are searched; the other half checks them. */
  ruleProposalHalves: fixed(131),
  costBootstrap: fixed(157),
  /** Choices in made-up golden inputs. */
  goldenInputs: fixed(163),
} as const;

type RunSeed = [] | [runSeed: number];

/** The seed of a fixed stream, or that of a run's stream in the run with seed `runSeed`. */
export function deriveSeed<Run extends RunSeed>(stream: (...run: Run) => number, ...run: Run): number {
  return stream(...run);
}

/** A generator at the beginning of a fixed stream, or of a run's stream in the run with seed `runSeed`. */
export function createStream<Run extends RunSeed>(stream: (...run: Run) => number, ...run: Run): Random {
  return createRandom(stream(...run));
}

/** Shuffles a copy of the items (Fisher and Yates). */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
  }
  return shuffled;
}

/** A draw from the standard normal distribution (Box & Muller 1958). */
export function drawNormal(random: Random): number {
  return Math.sqrt(-2 * log(1 - random())) * cos(2 * Math.PI * random());
}

/** Hashes a string by FNV-1a over its UTF-16 code units and MurmurHash3's finaliser: an unsigned 32-bit integer. */
export function hashString(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  return finalise(hash);
}

/** Mixes a whole number with a seed (MurmurHash3's finaliser); an unsigned 32-bit integer. */
export function hashNumber(value: number, seed: number): number {
  return finalise(Math.imul(value ^ seed, 0x9e3779b1) ^ (seed >>> 15));
}

/** MurmurHash3's finaliser: spreads every bit over all others. */
function finalise(mixed: number): number {
  let hash = mixed;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
}
