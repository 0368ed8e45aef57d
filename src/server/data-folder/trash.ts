/** Files no longer needed wait in the data folder's trash, in case removing them was a mistake. */
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';

const keptMs = 30 * 24 * 3600 * 1000;

/** Moves a file into the trash, where it stays for 30 days; one of the same name is kept beside it. */
export function moveToTrash(file: string, trashDir: string, nowMs: number): void {
  mkdirSync(trashDir, { recursive: true, mode: 0o700 });
  const { base } = path.parse(file);
  let target = path.join(trashDir, base);
  for (let copy = 2; existsSync(target); copy += 1) target = path.join(trashDir, `${copy}-${base}`);
  renameSync(file, target);
  // Its time in the trash is counted from now on, by the clock of the program.
  utimesSync(target, nowMs / 1000, nowMs / 1000);
}

/** Deletes files from the trash that are past their time. */
export function emptyTrash(trashDir: string, nowMs: number): void {
  if (!existsSync(trashDir)) return;
  for (const name of readdirSync(trashDir)) {
    const file = path.join(trashDir, name);
    if (nowMs - lstatSync(file).mtimeMs > keptMs) rmSync(file, { recursive: true, force: true });
  }
}
