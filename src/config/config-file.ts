import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Finding } from '#errors/index.ts';
import { systemCodeOf } from '#errors/index.ts';
import { configIdOfFile, definitionOf, formatConfigId, mayBeFactory } from './config-id.ts';
import type { Locations } from './property-source.ts';

/** A configuration text before anyone has looked into it, or why there is none. */
export interface ConfigFile {
  readonly id: string;
  /** The file as the operator knows it: `conf/x.json` in the project location, else the whole path. */
  readonly file: string;
  /** There is no such file, and it is read as if it were empty. */
  readonly isDefault?: boolean;
  readonly content: { readonly text: string } | { readonly finding: Finding };
}

export interface ConfigListing {
  readonly files: ReadonlyMap<string, ConfigFile>;
  /** The folders that were there. */
  readonly folders: readonly string[];
}

/** A project does not want the example schedules of the installation to run beside its own. */
const NOT_INHERITED: ReadonlySet<string> = new Set(['schedule']);

/** Reads `conf/*.json` of the project location, and of the installation what the project lacks. */
export async function listConfigFiles(locations: Locations): Promise<ConfigListing> {
  const files = new Map<string, ConfigFile>();
  const folders: string[] = [];
  for (const location of new Set([locations.projectLocation, locations.installLocation])) {
    const folder = join(location, 'conf');
    const names = await namesIn(folder);
    if (names === undefined) continue;
    folders.push(folder);
    const inherited = location !== locations.projectLocation;
    for (const [id, file] of await readFolder(folder, names, locations.projectLocation)) {
      if (files.has(id) || (inherited && NOT_INHERITED.has(definitionOf(id)))) continue;
      files.set(id, file);
    }
  }
  return { files, folders };
}

async function readFolder(folder: string, names: readonly string[], projectLocation: string) {
  const files = new Map<string, ConfigFile>();
  for (const name of names) {
    const path = join(folder, name);
    const inProject = relative(projectLocation, path);
    const file = inProject.startsWith('..') ? path : inProject;
    const finding = nameFinding(name, file, files);
    const id = formatConfigId(configIdOfFile(name) ?? { name });
    const content = finding === undefined ? await readText(path, file) : { finding };
    if (content !== undefined) files.set(id, { id, file, content });
  }
  return files;
}

/** Sorted, so that findings come in the same order everywhere; undefined when there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json') && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function nameFinding(
  name: string,
  file: string,
  earlier: ReadonlyMap<string, ConfigFile>,
): Finding | undefined {
  const id = configIdOfFile(name);
  const where = `${file}:1:1`;
  if (id === undefined || (id.alias !== undefined && !mayBeFactory(id.name))) {
    return {
      id: 'CONFIG_BAD_FILE_NAME',
      where,
      message: `'${name}' is not the name of a configuration`,
      hint: id === undefined ? 'Call it <name>.json or <factory>-<alias>.json' : `Use only ${id.name}.json`,
    };
  }
  const twin = earlier.get(formatConfigId(id));
  if (twin === undefined) return undefined;
  return {
    id: 'CONFIG_DUPLICATE_ID',
    where,
    message: `'${formatConfigId(id)}' is also the id of ${twin.file}`,
    hint: 'Blanks in a file name count as underscores; remove one of the two',
  };
}

/** How often an alias is followed that leads to nothing: what it leads to is being replaced. */
const MOST_TRIES = 3;

/** Undefined when the file went away since its folder was read; an alias that is there has not gone away. */
async function readText(path: string, file: string, tries = 1): Promise<ConfigFile['content'] | undefined> {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) };
  } catch (error) {
    const target = isAbsent(error) ? await readlink(path).catch(() => undefined) : undefined;
    if (isAbsent(error) && target === undefined) return undefined;
    if (target !== undefined && tries < MOST_TRIES) return readText(path, file, tries + 1);
    const unread = error instanceof TypeError ? 'is not UTF-8 text' : `cannot be read (${String(error)})`;
    const why = target === undefined ? unread : `leads to '${target}', where nothing is`;
    return { finding: { id: 'CONFIG_UNREADABLE_FILE', where: `${file}:1:1`, message: `the file ${why}` } };
  }
}

function isAbsent(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
