/** Which folder may import which. docs/architecture.md says why. */
const engineLibraries = 'node_modules/(zod|ajv|ajv-formats|fflate|@huggingface/tokenizers|@marcbachmann/cel-js|re2js)/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
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
      name: 'server-imports-engine-only',
      severity: 'error',
      from: { path: '^src/server/' },
      to: { path: '^src/', pathNot: ['^src/server/', '^src/engine/'] },
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
      name: 'main-is-thin',
      severity: 'error',
      from: { path: '^src/main/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/main/',
          '^src/server/(start|process/spawn-child|contract/security-policy)\\.ts$',
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
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
