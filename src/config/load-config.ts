import type { Finding } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { AnyConfigDefinition } from './config-definition.ts';
import { type ConfigFile, type ConfigListing, listConfigFiles } from './config-file.ts';
import type { Locations } from './property-source.ts';
import { type ConfigEntry, type ReadingRules, readConfig } from './read-config.ts';

/** All configurations at one moment, by id. Replaced as a whole, never changed. */
export type ConfigSnapshot = ReadonlyMap<string, ConfigEntry>;

/** The files of both locations; an empty object stands in for an optional file that neither has. */
export async function listSources(
  locations: Locations,
  definitions: ReadonlyMap<string, AnyConfigDefinition>,
): Promise<ConfigListing> {
  const { files, folders } = await listConfigFiles(locations);
  const sources = new Map<string, ConfigFile>(files);
  for (const definition of definitions.values()) {
    const { id } = definition;
    if (definition.kind === 'factory' || definition.required || files.has(id)) continue;
    sources.set(id, { id, file: `default of ${id}.json`, isDefault: true, content: { text: '{}' } });
  }
  return { files: sources, folders };
}

/** Reads everything and collects every finding of every file. */
export function loadConfig(
  { files }: ConfigListing,
  rules: ReadingRules,
): { readonly snapshot: ConfigSnapshot; readonly findings: readonly Finding[] } {
  const snapshot = new Map<string, ConfigEntry>();
  const findings: Finding[] = [];
  for (const file of files.values()) {
    const read = readConfig(file, rules);
    if ('entry' in read) snapshot.set(file.id, read.entry);
    else findings.push(...read.findings);
  }
  for (const definition of rules.definitions.values()) {
    if (!files.has(definition.id) && definition.kind === 'single') findings.push(missingFile(definition.id));
  }
  return { snapshot, findings };
}

/** A file that a node would refuse, and why. */
export interface UnreadFile {
  readonly id: string;
  readonly findings: readonly Finding[];
  /** Its value as it is written, if it is JSON. */
  readonly written?: JsonValue;
  readonly file?: ConfigFile;
}

/** Reads what can be read; a node has `{}` where there is no file, which stands in for one that cannot. */
export function inspectConfig(
  files: ReadonlyMap<string, ConfigFile>,
  rules: ReadingRules,
): { readonly snapshot: ConfigSnapshot; readonly unread: readonly UnreadFile[] } {
  const snapshot = new Map<string, ConfigEntry>();
  const unread: UnreadFile[] = [];
  const standIn = ({ id, activates = [] }: AnyConfigDefinition) => {
    const text = JSON.stringify(Object.fromEntries(activates.map((key) => [key, {}])));
    const file = { id, file: `default of ${id}.json`, content: { text } };
    const read = readConfig(file, { ...rules, report: () => {}, starting: true });
    if ('entry' in read) snapshot.set(id, read.entry);
  };
  for (const file of files.values()) {
    const { id } = file;
    const read = readConfig(file, rules);
    if ('entry' in read) snapshot.set(id, read.entry);
    else unread.push({ id, file, ...read });
  }
  for (const definition of rules.definitions.values()) {
    const { id, kind } = definition;
    if (kind === 'factory' || snapshot.has(id)) continue;
    if (!files.has(id)) unread.push({ id, findings: [missingFile(id)] });
    standIn(definition);
  }
  return { snapshot, unread };
}

export function missingFile(id: string): Finding {
  return {
    id: 'CONFIG_MISSING_FILE',
    where: `conf/${id}.json:1:1`,
    message: 'the file is missing in the project location and in the installation',
    hint: `Copy conf/${id}.json from a fresh installation`,
  };
}

/** Definitions by id. */
export function indexDefinitions(
  definitions: readonly AnyConfigDefinition[],
): ReadonlyMap<string, AnyConfigDefinition> {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  if (byId.size < definitions.length) throw new Error('Two configuration definitions share an id');
  return byId;
}
