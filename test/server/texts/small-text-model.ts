/** The folder of a small text model as a user gives one: an embedding of each word piece, their mean of length 1. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  createNode,
  elementType,
  type Graph,
  type Node,
  toFloatTensor,
  toIntTensor,
  writeModel,
} from '../../../src/engine/onnx/graph.ts';
import { temporaryFolder } from '../workbench.ts';

const width = 24;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789äöüéèß.,!?-';
const wordsOfKind = 300;
const kinds = ['praise', 'complaint'] as const;
/** A word of three letters that says nothing to anybody but the model. */
export function toWord(kind: (typeof kinds)[number], at: number): string {
  const mixed = ((2 * at + kinds.indexOf(kind)) * 7_919) % 26 ** 3;
  return [26 ** 2, 26, 1].map((place) => String.fromCharCode(97 + (Math.floor(mixed / place) % 26))).join('');
}
const listWords = (kind: (typeof kinds)[number]) => Array.from({ length: wordsOfKind }, (_, at) => toWord(kind, at));

/** Pieces: special ones, a prefix, words of two kinds, and each letter at the start of a word and within. */
const pieces: [string, number][] = [
  ...['<s>', '<pad>', '</s>', '<unk>'].map((piece): [string, number] => [piece, 0]),
  ['▁read', -2],
  ['▁', -9],
  ...kinds.flatMap(listWords).map((word): [string, number] => [`▁${word}`, -6]),
  ...[...letters].flatMap((letter): [string, number][] => [
    [`▁${letter}`, -4],
    [letter, -5],
  ]),
];

/** Labelled texts of words that stand in no other one, so that only the model knows what they say. */
export const kindExamples = Array.from({ length: 120 }, (_, row) => {
  const kind = kinds[row % 2] ?? 'praise';
  const words = Array.from({ length: 5 }, (__, at) => toWord(kind, Math.floor(row / 2) * 5 + at));
  return { input: { remark: words.join(' ') }, decision: kind };
});

/** The tokenizer as XLM-R's is written: characters are normalised, blanks part the words. */
const smallTokenizer = {
  version: '1.0',
  added_tokens: [0, 1, 2, 3].map((id) => ({ id, content: pieces[id]?.[0], special: true })),
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Replace', pattern: { Regex: '[\u200b\ufeff]' }, content: '' },
      { type: 'Replace', pattern: { Regex: '[\t\n\u2581]' }, content: ' ' },
      { type: 'NFKC' },
      { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
    ],
  },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'WhitespaceSplit' },
      { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    ],
  },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
    ],
    pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: {
      '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] },
      '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
    },
  },
  decoder: null,
  model: { type: 'Unigram', unk_id: 3, byte_fallback: false, vocab: pieces },
};

/** Changes of the graph by which it is no text encoder any more. */
export type Flaw = 'ignores the mask' | 'is not of length 1' | 'answers otherwise' | 'wants more';

function writeGraph(flaw: Flaw | null): Uint8Array {
  const praise = new Set(listWords('praise'));
  const complaint = new Set(listWords('complaint'));
  const table = Float32Array.from({ length: pieces.length * width }, (_, at) => {
    const [piece = ''] = pieces[Math.floor(at / width)] ?? [];
    const side = Number(praise.has(piece.slice(1))) - Number(complaint.has(piece.slice(1)));
    return Math.sin(at * at + 1) + 3 * side * Math.cos(at % width);
  });
  const output = flaw === 'answers otherwise' ? 'last_hidden_state' : 'sentence_embedding';
  const masked: Node[] =
    flaw === 'ignores the mask'
      ? [createNode('Identity', ['each'], 'kept')]
      : [
          createNode('Cast', ['attention_mask'], 'ones', { to: elementType.float32 }),
          createNode('Unsqueeze', ['ones', 'last'], 'column'),
          createNode('Mul', ['each', 'column'], 'kept'),
        ];
  const sum = createNode('ReduceSum', ['kept', 'tokens'], flaw === 'is not of length 1' ? output : 'sum', {
    keepdims: 0,
  });
  const graph: Graph = {
    name: 'small',
    nodes: [
      createNode('Gather', ['table', 'input_ids'], 'each'),
      ...masked,
      sum,
      ...(flaw === 'is not of length 1' ? [] : [createNode('LpNormalization', ['sum'], output, { axis: 1, p: 2 })]),
    ],
    initializers: [
      toFloatTensor('table', [pieces.length, width], table),
      toIntTensor('last', [2]),
      toIntTensor('tokens', [1]),
    ],
    inputs: [
      ...['input_ids', 'attention_mask', ...(flaw === 'wants more' ? ['token_type_ids'] : [])].map((name) => ({
        name,
        type: elementType.int64,
        dims: ['texts', 'tokens'],
      })),
    ],
    outputs: [{ name: output, type: elementType.float32, dims: ['texts', width] }],
  };
  return writeModel(graph, 'test');
}

/** Writes the folder of the model and returns its path; `changed` replaces files, or leaves them out by null. */
export function writeSmallModel(
  flaw: Flaw | null = null,
  changed: Readonly<Record<string, string | null>> = {},
): string {
  const folder = temporaryFolder();
  const encoder = writeGraph(flaw);
  const files = {
    'encoder.onnx': encoder,
    'tokenizer.json': JSON.stringify(smallTokenizer),
    'encoder.json': JSON.stringify({ base_model: 'a/small-model', languages: ['de', 'en'], prefix: 'read ' }),
    LICENSE: 'Public domain: do as you like.',
    SHA256SUMS: `${createHash('sha256').update(encoder).digest('hex')}  encoder.onnx\n`,
    ...changed,
  };
  for (const [name, content] of Object.entries(files)) {
    if (content !== null) writeFileSync(path.join(folder, name), content);
  }
  return folder;
}
