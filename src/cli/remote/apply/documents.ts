import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#client/index.ts';
import { UsageError } from '../../usage-error.ts';
import { readInput, readText } from '../connection.ts';
import { jsonOf } from '../content.ts';
import { isRecord } from '../profiles.ts';
import { pathOf } from '../remote-command.ts';

/** An object as a file has it: what it says of the object is set, what it does not say stays as it is. */
export interface Document {
  /** Such as `managed/role`. */
  readonly type: string;
  /** Undefined where the node makes it. */
  readonly id: string | undefined;
  /** The name by which it is found where it has no id: `managed/user?userName=avo`. */
  readonly name: string;
  readonly revision: string | undefined;
  readonly content: JsonObject;
}

const ENDING = /\.(?:jsonl?|ya?ml)$/;
const YAML = /\.ya?ml$/;

/** The path of a document, or its name as long as it has none. */
export function nameOf({ type, id, name }: Document): string {
  return id === undefined ? name : `${type}/${id}`;
}

/**
 * The objects of a file, of all files of JSON and YAML in a folder, or of the input (`-`): each file has objects
 * `{"_type": "managed/role", "_id": …}` one by one, as lists, one on each line, or as documents of YAML.
 *
 * @throws UsageError that names the file and the place in it
 */
export async function readDocuments(place: string): Promise<readonly Document[]> {
  const files = place === '-' ? [place] : filesAt(place);
  const documents: Document[] = [];
  const places = new Map<string, string>();
  for (const file of files) {
    const where = file === '-' ? 'the input' : `'${file}'`;
    const text = file === '-' ? readInput() : readText(file, '-f');
    for (const document of await documentsIn(text, where, YAML.test(file))) {
      const name = nameOf(document);
      const before = places.get(name);
      if (before !== undefined) throw new UsageError(`${name} stands in ${before} and again in ${where}`);
      places.set(name, where);
      documents.push(document);
    }
  }
  return documents;
}

function filesAt(place: string): readonly string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(place).isDirectory();
  } catch {
    throw new UsageError(`there is no file or folder '${place}'`);
  }
  if (!isFolder) return [place];
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((file) => ENDING.test(file));
  if (files.length === 0) throw new UsageError(`there is no file *.json, *.jsonl or *.yaml in '${place}'`);
  return files.sort().map((file) => join(place, file));
}

async function documentsIn(text: string, where: string, isYaml: boolean): Promise<readonly Document[]> {
  const parts = (await partsOf(text, where, isYaml)).flat();
  return parts.map((each, at) =>
    documentOf(each, parts.length === 1 ? where : `${where}, object ${at + 1},`),
  );
}

async function partsOf(text: string, where: string, isYaml: boolean): Promise<readonly unknown[]> {
  const looksLikeJson = /^\s*[{[]/.test(text);
  if (isYaml || (where === 'the input' && !looksLikeJson)) {
    // Whoever has no YAML does not wait for what reads it.
    const { yamlDocuments } = await import('./yaml-documents.ts');
    return yamlDocuments(text, where);
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isLines = lines.length > 1 && lines.every((line) => /^\{.*\}\s*$/.test(line));
  return isLines ? lines.map((line, at) => jsonOf(line, `${where}, line ${at + 1},`)) : [jsonOf(text, where)];
}

function documentOf(read: unknown, where: string): Document {
  if (!isRecord(read)) throw new UsageError(`${where} is no object`);
  const { _type, _id, _key, _rev, ...content } = read;
  if (typeof _type !== 'string') throw new UsageError(`${where} needs "_type", such as "managed/role"`);
  const type = pathOf(_type);
  const common = { type, revision: typeof _rev === 'string' ? _rev : undefined, content };
  if (typeof _id === 'string' && _key === undefined) return { ...common, id: _id, name: `${type}/${_id}` };
  if (_id === undefined && typeof _key === 'string') {
    const value = content[_key];
    if (typeof value === 'string' && value !== '') {
      return { ...common, id: undefined, name: `${type}?${_key}=${encodeURIComponent(value)}` };
    }
    throw new UsageError(`${where} is found by "${_key}", and has no text there`);
  }
  throw new UsageError(`${where} needs "_id", or "_key" with the property that it is found by; one of them`);
}
