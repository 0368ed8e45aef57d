/** Texts that have nothing to do with any decision type: they show whether unfamiliar inputs are noticed. */
import type { Json, JsonObject } from '../../json.ts';
import { createStream, randomStreams } from '../../random.ts';

const sentences = [
  'The recipe needs two eggs, a cup of flour and a pinch of salt.',
  'Our striker scored twice in the last ten minutes of the match.',
  'The volcano last erupted more than three hundred years ago.',
  'She tuned the violin before the second movement began.',
  'Sea turtles return to the same beach to lay their eggs.',
  'The theorem holds for every prime number greater than two.',
  'Clouds will thicken from the west and bring rain by evening.',
  'He carved the chess pieces from walnut and maple.',
  'The expedition reached the pole in midwinter darkness.',
  'Prune the roses just above an outward facing bud.',
  'The opera was first performed in Prague in 1787.',
  'Mix blue and yellow until the paint turns a soft green.',
  'Glaciers carve valleys into the shape of a broad trough.',
  'The dog chased a squirrel around the old oak tree.',
  'Neutron stars are denser than anything found on Earth.',
  'The knight rode through the forest towards the castle.',
  'Stretch your calves for thirty seconds on each side.',
  'The bridge was built of stone by Roman engineers.',
  'Whales sing songs that travel for hundreds of miles.',
  'Fold the paper in half and crease it along the diagonal.',
] as const;

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Lists twenty sentences about twenty subjects and twenty texts of random letters; always the same. */
export function listProbeTexts(): string[] {
  const random = createStream(randomStreams.probeTexts);
  const drawBelow = (n: number) => Math.floor(random() * n);
  const drawWord = () => Array.from({ length: 2 + drawBelow(8) }, () => letters[drawBelow(26)]).join('');
  const nonsense = sentences.map(() => Array.from({ length: 4 + drawBelow(6) }, drawWord).join(' '));
  return [...sentences, ...nonsense];
}

function setTextAt(input: JsonObject, path: readonly string[], text: string | null): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return input;
  const inner: Json | undefined = Object.hasOwn(input, key) ? input[key] : undefined;
  if (rest.length === 0) return { ...input, [key]: text };
  const nested = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
  return { ...input, [key]: setTextAt(nested, rest, text) };
}

/** A copy of the input with the probe in the first of its text fields and null in the others. */
export function insertProbe(input: JsonObject, fields: readonly (readonly string[])[], probe: string): JsonObject {
  return fields.reduce((changed, path, index) => setTextAt(changed, path, index === 0 ? probe : null), input);
}
