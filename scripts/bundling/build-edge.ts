/** The package `decision-edge` for Node and the browser, built from src/edge and the engine. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import ts from 'typescript';
import { escapeHtml } from '../../src/engine/report/html.ts';
import { projectRoot } from '../freshness.ts';
import { collectLicenses, listPackages } from './licenses.ts';

const sources = join(projectRoot, 'src/edge');
const latePatterns = join(sources, 'late-re2.ts');

/** Puts a file of ours in the place of a module, but for that file itself. */
const replaceModule = (name: string, file: string): Plugin => ({
  name: `replace-${name}`,
  resolveId: (source, importer) => (source === name && importer !== file ? file : null),
});

/** Builds the package into a folder, which `npm install` and `npm pack` take. */
export async function buildEdge(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = [...(await writeModules(folder)), ...(await writeService(folder)), ...(await writePages(folder))];
  // Both entries are declared as Node's: resolvers that name no platform, as of most bundlers, would take the other.
  for (const name of ['api', 'node']) {
    const source = readFileSync(join(sources, `${name}.ts`), 'utf8');
    writeFileSync(join(folder, `${name}.d.ts`), writeDeclarations(source));
  }
  for (const name of ['README.md', 'Dockerfile', 'compose.yaml'])
    cpSync(join(projectRoot, 'edge/node', name), join(folder, name));
  cpSync(join(projectRoot, 'LICENSE'), join(folder, 'LICENSE'));
  const described = JSON.parse(readFileSync(join(projectRoot, 'edge/node/package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  writeJson(join(folder, 'package.json'), { ...described, version });
  writeFileSync(join(folder, 'licenses.md'), collectLicenses(modules));
  writeJson(join(folder, 'sbom.cdx.json'), listContents('decision-edge', modules, version));
}

const writeJson = (file: string, value: object) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** Lists the packages that the scripts of a build contain, as CycloneDX. */
export function listContents(product: string, modules: readonly string[], version: string): object {
  const components = listPackages(modules).map(({ name, version, license }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type: 'library', 'bom-ref': purl, name, version, licenses: [{ license: { id: license } }], purl };
  });
  const purl = `pkg:npm/${product}@${version}`;
  const component = { type: 'library', 'bom-ref': purl, name: product, version, purl };
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components };
}

/** Writes the scripts of both entries, which share their parts, and returns what they were made of. */
async function writeModules(folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: { node: join(sources, 'node.ts'), browser: join(sources, 'browser.ts') },
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'] },
    external: [/^node:/, 'onnxruntime-node'],
    plugins: [replaceModule('re2js', latePatterns)],
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name]-[hash].js',
  });
  await bundle.close();
  return output.filter((chunk): chunk is OutputChunk => chunk.type === 'chunk').flatMap((chunk) => chunk.moduleIds);
}

/** Writes the command that serves bundles, with the server that it listens by, and returns what it was made of. */
async function writeService(folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: join(sources, 'serve/main.ts'),
    platform: 'node',
    external: ['onnxruntime-node'],
    plugins: [replaceModule('re2js', latePatterns)],
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    minify: true,
    entryFileNames: 'decision-edge.js',
    chunkFileNames: 'serve/[name]-[hash].js',
  });
  await bundle.close();
  return output.filter((chunk): chunk is OutputChunk => chunk.type === 'chunk').flatMap((chunk) => chunk.moduleIds);
}

/** Writes the pages, complete but for what each is to hold, and returns what their scripts were made of. */
async function writePages(folder: string): Promise<string[]> {
  const read = (name: string) => readFileSync(join(sources, 'page', name), 'utf8');
  const write = async (name: string, styles: readonly string[], scripts: string) => {
    const { script, moduleIds } = await bundleForPage(join(sources, `page/${name}.ts`));
    const [style, licenses] = [styles.map(read).join('\n'), collectLicenses(moduleIds)];
    const page = composePage({ shell: read(`${name}.html`), style, script, licenses, allowed: { scripts } });
    writeFileSync(join(folder, `${name}.html`), page);
    return moduleIds;
  };
  return [
    ...(await write('page', ['page.css'], '%EVAL%')),
    ...(await write('labelling', ['page.css', 'row-labels.css'], '')),
  ];
}

/** Bundles a script of a page without what pages leave out, as it can stand in HTML. */
export async function bundleForPage(
  input: string,
  define: Record<string, string> = {},
): Promise<{ script: string; moduleIds: string[] }> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    plugins: [
      replaceModule('jschardet', join(sources, 'page/no-detector.ts')),
      replaceModule('./formats/read-parquet.ts', join(sources, 'page/no-parquet.ts')),
    ],
    transform: { define },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  return { script: toInlineScript(code), moduleIds };
}

/** Puts a page together with its policy: it runs this script, has this style, and connects to nothing. */
export function composePage(page: {
  shell: string;
  style: string;
  script: string;
  licenses: string;
  allowed: { scripts: string; others?: string[] };
  parts?: [mark: string, text: string][];
}): string {
  const { shell, style, script, licenses, allowed } = page;
  const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}${allowed.scripts}`,
    `style-src ${digest(style)}`,
    ...(allowed.others ?? []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const parts: [mark: string, text: string][] = [
    ['%POLICY%', policy],
    ['/* %STYLE% */', style],
    ['%LICENSES%', escapeHtml(licenses)],
    ['/* %SCRIPT% */', script],
    ...(page.parts ?? []),
  ];
  return parts.reduce((text, [mark, part]) => text.replace(mark, () => part), shell);
}

const signs: Readonly<Record<string, string>> = { '</': '<\\/', '<!--': '\\x3c!--', '\0': '\\x00', '\r': '\\r' };

/** A script as it can stand in HTML, where some signs of its texts would end it or become others. */
const toInlineScript = (code: string) => code.replace(/<\/(?=script)|<!--|[\0\r]/gi, (sign) => signs[sign] ?? sign);

/** The types of one file, whose exports state theirs. */
function writeDeclarations(source: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, strict: true },
    reportDiagnostics: true,
  });
  const [problem] = diagnostics;
  if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  return outputText.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'");
}
