/** Which part of the source may import which. docs/architecture.md says why. */
const engineLibraries =
  'node_modules/(zod|ajv|ajv-formats|fflate|@huggingface/tokenizers|@marcbachmann/cel-js|re2js|jschardet|htmlparser2|hyparquet|hyparquet-compressors|hyparquet-writer|fzstd)/';

/** The folders by noun that contract, store, services and operations share, lowest first. */
const toRooms = (layer) =>
  ['account', 'types', 'examples', 'policies', 'deciding', 'upkeep'].map((room) => `${layer}/${room}`);

/**
 * The parts of engine, server and page, lowest first: a part imports itself and what stands before it. A part is a file
 * or the files that lie directly in a folder; those in one list make up one part.
 */
const parts = {
  engine: [
    // The ground: words, errors, ports, numbers and texts that everything above speaks in.
    [
      'domain/names.ts',
      'domain/look-alikes.ts',
      'domain/definition.ts',
      'domain/training.ts',
      'domain/metrics.ts',
      'domain/decision.ts',
      'domain/records.ts',
      'measured.ts',
      'costs.ts',
      'thresholds.ts',
      'errors.ts',
      'ports.ts',
      'limits.ts',
      'exact-math.ts',
      'numeric.ts',
      'intervals.ts',
      'row-sets.ts',
      'random.ts',
      'json.ts',
      'drawn-rows.ts',
      'strict-json',
      'code-points.ts',
      'pii.ts',
      'patterns.ts',
    ],

    'examples',
    'schema',
    ['rules/tree.ts', 'rules/rule-limits.ts', 'rules/functions.ts', 'rules/source.ts', 'rules/suggest.ts'],
    'rules/evaluation',
    'rules/parsing',
    'rules',
    'rules/analysis',
    'features',
    'readings',
    'export',
    'import/sheet.ts',
    'import/tables',
    'import/formats',
    'import',
    'import/planning',
    'rules/discovery',
    'text',
    ['classifiers/classifier.ts', 'classifiers/model.ts', 'classifiers/trees-model.ts'],
    'classifiers/growing',
    'classifiers',
    'labelling',
    'onnx',
    'bundle',
    'decide',
    'measure',
    'counterfactuals',
    'findings',
    'report',
    ['training/request.ts', 'training/progress.ts'],
    'training/data',
    'training/select',
    'training/tune',
    'training/evaluate',
    'training/generate',
    'training/package',
    'training/stages',
    ['training/train.ts', 'training/search-labels.ts'],
  ],
  door: [['maybe-promise.ts'], 'errors', 'questions', 'deciding', 'formats'],
  edge: [
    ['api.ts', 'sha256.ts', 'late-re2.ts', 'inputs.ts', 'encoder.ts', 'predictor.ts', 'node.ts', 'browser.ts'],
    'page',
  ],
  server: [
    'process',
    [
      'contract/common.ts',
      'contract/operation.ts',
      'contract/dialects.ts',
      'contract/paths.ts',
      'contract/heartbeat.ts',
      'contract/security-policy.ts',
    ],
    ...toRooms('contract'),
    'contract',
    'hot-path',
    'events',
    ['store/input-hash.ts', 'store/database-copy.ts', 'store/database.ts', 'store/write-lock.ts', 'store/blocks.ts'],
    ...toRooms('store'),
    'store',
    'data-folder',
    'auth',
    'metering',
    'connections',
    'runtime/encoder',
    ['runtime/language-detector.ts'],
    'runtime/labelling',
    'runtime',
    'analysis',
    'jobs',
    ['preparation/read-form.ts'],
    'preparation/rules',
    'preparation/examples',
    'preparation/imports',
    'preparation/archives',
    'preparation',
    'foundation.ts',
    'services',
    ...toRooms('services').flatMap((room) =>
      room === 'services/examples' ? [room, `${room}/imports`, `${room}/labelling`] : [room],
    ),
    [
      'operations/context.ts',
      'operations/pages.ts',
      'operations/await-turn.ts',
      'operations/tell-change.ts',
      'operations/analysis-state.ts',
    ],
    ...toRooms('operations'),
    'operations',
    'mcp',
    'http',
    'data-commands.ts',
    'start.ts',
    'command-line',
    'serve.ts',
  ],
  renderer: [
    'api',
    'commands',
    'state',
    'parts/text',
    'parts/hooks',
    'parts/fields',
    'parts',
    'parts/charts',
    'parts/explained',
    'features/rules/editor',
    'features/rules/sheet',
    'features/examples/table',
    'features/examples/rows',
    'features/examples/cards',
    'features/[^/]+',
    'frame',
    ['theme.ts', 'styles', 'app.tsx'],
    'create-workbench.ts',
    'main.tsx',
  ],
};

/** Forbids every part of a runtime to import a later one, and every file that is of no part. */
function toPartRules([runtime, list]) {
  const toPaths = (part) =>
    [part].flat().map((name) => `^src/${runtime}/${name}${/\.tsx?$/.test(name) ? '$' : '/[^/]+$'}`);
  const everyFile = `^src/${runtime}/`;
  return [
    {
      name: `${runtime}-parts-are-listed`,
      severity: 'error',
      comment: 'A new file or folder gets its place in the list of parts.',
      from: { path: everyFile, pathNot: list.flatMap(toPaths) },
      to: {},
    },
    ...list.map((part, index) => ({
      name: `${runtime}-imports-downwards`,
      severity: 'error',
      from: { path: toPaths(part) },
      to: { path: everyFile, pathNot: list.slice(0, index + 1).flatMap(toPaths) },
    })),
  ];
}

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Circles of types count, too: whoever reads one of the files has to read them all.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    ...Object.entries(parts).flatMap(toPartRules),
    {
      name: 'resolvable',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: '(\\?worker|\\?url|\\?raw|\\.css)$' },
    },
    {
      name: 'engine-is-pure',
      comment:
        'The same code runs in server, worker, renderer and tests: only pure libraries, nothing of the platform.',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: { pathNot: ['^src/engine/', engineLibraries] },
    },
    {
      name: 'engine-uses-no-node-builtins',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'door-imports-contract-and-engine-only',
      comment: 'It stands in the server and, over bundle files, without one.',
      severity: 'error',
      from: { path: '^src/door/' },
      to: { path: '^src/', pathNot: ['^src/door/', '^src/server/contract/', '^src/engine/'] },
    },
    {
      name: 'edge-imports-engine-only',
      severity: 'error',
      from: { path: '^src/edge/' },
      to: { path: '^src/', pathNot: ['^src/edge/', '^src/engine/'] },
    },
    {
      name: 'edge-uses-node-in-one-file',
      comment: 'Everything else runs in browsers, too.',
      severity: 'error',
      from: { path: '^src/edge/', pathNot: '^src/edge/node\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'server-imports-door-and-engine-only',
      severity: 'error',
      from: { path: '^src/server/' },
      to: { path: '^src/', pathNot: ['^src/server/', '^src/door/', '^src/engine/'] },
    },
    {
      name: 'contract-is-pure-data',
      comment: 'The renderer imports it, so it may carry nothing of the server.',
      severity: 'error',
      from: { path: '^src/server/contract/' },
      to: { pathNot: ['^src/server/contract/', '^src/engine/', 'node_modules/zod/'] },
    },
    {
      name: 'renderer-imports-contract-and-engine-only',
      severity: 'error',
      from: { path: '^src/renderer/' },
      to: {
        path: '^src/',
        pathNot: ['^src/renderer/', '^src/server/contract/', '^src/engine/', '^src/preload/bridge\\.ts$'],
      },
    },
    {
      name: 'renderer-uses-no-node-builtins',
      severity: 'error',
      from: { path: '^src/renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'features-know-no-neighbours',
      comment: 'A place of the page is replaced by itself: what two of them need lies in parts, state or api.',
      severity: 'error',
      from: { path: '^src/renderer/features/([^/]+)/' },
      to: { path: '^src/renderer/features/', pathNot: '^src/renderer/features/$1/' },
    },
    {
      name: 'main-is-thin',
      severity: 'error',
      from: { path: '^src/main/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/main/',
          '^src/server/(start|process/(spawn-child|start-error)|contract/security-policy)\\.ts$',
          '^src/preload/bridge\\.ts$',
        ],
      },
    },
    {
      name: 'preload-imports-nothing',
      severity: 'error',
      from: { path: '^src/preload/' },
      to: { path: '^src/', pathNot: ['^src/preload/'] },
    },
    {
      name: 'electron-only-in-main-and-preload',
      comment: 'In plain Node the import of electron starts a download.',
      severity: 'error',
      from: { path: '^(src|scripts)/', pathNot: '^src/(main|preload)/' },
      to: { path: 'node_modules/electron/' },
    },
    {
      name: 'nobody-imports-main',
      severity: 'error',
      from: { pathNot: ['^src/main/', '^test/'] },
      to: { path: '^src/main/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The source has no CommonJS: a function that happens to be called `require` imports nothing.
    moduleSystems: ['es6'],
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
