/** Which files of a data folder hold a text, while a workbench of this process has the folder open. */
import { execFileSync } from 'node:child_process';

/**
 * Names the files below `folder` that hold `text`. Another process reads them: who closes a file gives back every lock
 * that its process holds on it, and these are the locks of the database.
 */
export function findFilesHolding(folder: string, text: string | Buffer): string[] {
  const read = `
    const { readdirSync, readFileSync } = require('node:fs');
    const [folder, sought] = process.argv.slice(1);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const holding = files.filter(({ parentPath, name }) =>
      readFileSync(parentPath + '/' + name).includes(Buffer.from(sought, 'hex')));
    console.log(JSON.stringify(holding.map(({ name }) => name)));`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', read, folder, Buffer.from(text).toString('hex')], { encoding: 'utf8' }),
  );
}
