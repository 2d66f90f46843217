import { hash } from 'node:crypto';
import { isObject, type JsonValue } from '#json/index.ts';
import type { ConfigFile } from './config-file.ts';

/** The texts by id, without those that could not be read. */
export function textsOf(files: ReadonlyMap<string, ConfigFile>): ReadonlyMap<string, string> {
  return new Map(
    [...files.values()].flatMap(({ id, content }) => ('text' in content ? [[id, content.text]] : [])),
  );
}

/** Order counts, because the order of script sources does; `_id` and `_rev` do not. */
export function isSameContent(left: JsonValue, right: JsonValue): boolean {
  return JSON.stringify(withoutIdentity(left)) === JSON.stringify(withoutIdentity(right));
}

/** Names a content: the same has the same on every node, wherever it comes from. */
export function revisionOf(content: JsonValue): string {
  return hash('sha256', JSON.stringify(withoutIdentity(content))).slice(0, 16);
}

function withoutIdentity(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const { _id, _rev, ...rest } = value;
  return rest;
}

/** A hash of configurations by their texts. */
export function fingerprintOf(entries: Iterable<{ readonly id: string; readonly text: string }>): string {
  const texts = new Map([...entries].map(({ id, text }) => [id, text]));
  return hash('sha256', JSON.stringify([...texts.keys()].sort().map((id) => [id, texts.get(id)!])));
}
