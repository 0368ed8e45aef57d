import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the program (it holds package.json and resources/), from source and from a build. */
export function findProgramFolder(from: string): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json')) && existsSync(path.join(folder, 'resources'))) return folder;
    if (folder === path.dirname(folder)) throw new Error('The resources of the program are missing.');
  }
}

/** Version of the program, from its package.json. */
export function toolVersion(programFolder: string): string {
  const { version } = JSON.parse(readFileSync(path.join(programFolder, 'package.json'), 'utf8')) as { version: string };
  return version;
}
