/**
 * What is built of the sources lies in folders that are named by a hash of all that it was made of. Plain JavaScript, because
 * the bootstrap asks too.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Whether this is a package that npm has put into a project of others: everything is there, and Node strips no types. */
export const isPackage = basename(dirname(root)) === 'node_modules';

/** @param {readonly string[]} files below the root @returns {string} of their names and what is in them */
export function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * Readers find all of the old or all of the new.
 *
 * @param {string} file
 * @param {unknown} value
 * @param {string} draft where it is written first, on the same disk
 */
export function replaceJson(file, value, draft) {
  writeFileSync(draft, JSON.stringify(value));
  renameSync(draft, file);
}

/** @param {string} home @param {readonly string[]} names in it, of which all but the `kept` newest go @param {number} kept */
export function forgetOld(home, names, kept) {
  const age = (name) => statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  for (const name of names.toSorted((a, b) => age(b) - age(a)).slice(kept)) {
    rmSync(join(home, name), { recursive: true, force: true });
  }
}
