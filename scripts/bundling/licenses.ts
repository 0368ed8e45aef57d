/** The licences of what a build contains. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Package = { folder: string; name: string; version: string; license: string };

/** The packages that modules come from. */
export function listPackages(moduleIds: readonly string[]): Package[] {
  const paths = moduleIds.map((id) => id.replaceAll('\\', '/'));
  const folders = new Set(paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { folder, name, version, license };
  });
}

/** The licences of the packages that modules come from, whole; the page's are written by Vite. */
export function collectLicenses(moduleIds: readonly string[]): string {
  const sections = listPackages(moduleIds).map(({ folder, name, version, license }) => {
    const files = readdirSync(folder).filter((file) => /^(?:licen[sc]e|notice|copying)/i.test(file));
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [
      `## ${name} ${version} (${license})`,
      ...(texts.length > 0 ? texts : ['The package has no text of it.']),
    ].join('\n\n');
  });
  return `${['# Licences of what is in this folder', ...sections].join('\n\n')}\n`;
}
