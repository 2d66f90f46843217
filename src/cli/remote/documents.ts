import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#client/index.ts';
import { readInput, readText } from './connection.ts';
import { jsonOf } from './content.ts';
import { isRecord } from './profiles.ts';
import { UsageError } from './usage-error.ts';

/** An object as a file has it: what it says of the object is set, what it does not say stays as it is. */
export interface Document {
  /** Such as `managed/role`. */
  readonly type: string;
  readonly id: string;
  readonly revision: string | undefined;
  readonly content: JsonObject;
}

/**
 * The objects of a file, of all files `*.json` in a folder, or of the input (`-`): each file has one object
 * `{"_type": "managed/role", "_id": …}`, a list of them, or one on each line.
 *
 * @throws UsageError that names the file and the place in it
 */
export function readDocuments(place: string): readonly Document[] {
  if (place === '-') return documentsIn(readInput(), 'the input');
  let isFolder: boolean;
  try {
    isFolder = statSync(place).isDirectory();
  } catch {
    throw new UsageError(`there is no file or folder '${place}'`);
  }
  if (!isFolder) return documentsIn(readText(place, '-f'), `'${place}'`);
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.jsonl?$/.test(file),
  );
  if (files.length === 0) throw new UsageError(`there is no file *.json in '${place}'`);
  return files
    .sort()
    .flatMap((file) => documentsIn(readText(join(place, file), '-f'), `'${join(place, file)}'`));
}

function documentsIn(text: string, where: string): readonly Document[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isLines = lines.length > 1 && lines.every((line) => /^\{.*\}\s*$/.test(line));
  const read = isLines
    ? lines.map((line, at) => jsonOf(line, `${where}, line ${at + 1},`))
    : jsonOf(text, where);
  const all: readonly unknown[] = Array.isArray(read) ? read : [read];
  return all.map((each, at) => documentOf(each, all.length === 1 ? where : `${where}, object ${at + 1},`));
}

function documentOf(read: unknown, where: string): Document {
  if (!isRecord(read)) throw new UsageError(`${where} is no object of JSON`);
  const { _type, _id, _rev, ...content } = read;
  if (typeof _type !== 'string' || typeof _id !== 'string') {
    throw new UsageError(`${where} needs "_type", such as "managed/role", and "_id"`);
  }
  const type = _type.includes('/') ? _type : `managed/${_type}`;
  return { type, id: _id, revision: typeof _rev === 'string' ? _rev : undefined, content };
}

/** Whether two values say the same, whatever a node adds to a reference, and in whatever order it lists them. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const parts = value.map(plain);
    return value.every(isReference)
      ? parts.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
      : parts;
  }
  if (isReference(value)) {
    const { _id, _rev, _grantType, ...properties } = isRecord(value['_refProperties'])
      ? value['_refProperties']
      : {};
    return { _ref: value['_ref'], _refProperties: plain(properties) };
  }
  if (!isRecord(value)) return value ?? null;
  const members = Object.entries(value).map(([name, each]): [string, unknown] => [name, plain(each)]);
  return Object.fromEntries(members.sort(([left], [right]) => (left < right ? -1 : 1)));
}

export function isReference(value: unknown): value is JsonObject & { readonly _ref: string } {
  return isRecord(value) && typeof value['_ref'] === 'string';
}
