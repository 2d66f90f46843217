import { equalJson, isObject, type JsonObject } from '#json/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import {
  type Context,
  formatPath,
  parsePath,
  type ReadRequest,
  readerOf,
  resource,
} from '#resource/index.ts';
import { typeNameOf } from '../collection.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { isKept } from '../may-read.ts';
import { type Inquiry, type Reference, seenIn } from './explain-grants.ts';

/**
 * An inquiry about an object, by a caller who learns what it could read by itself; undefined where it may not read
 * the object.
 */
export async function inquire(
  platform: ManagedPlatform,
  context: Context,
  type: ManagedType,
  id: string,
): Promise<Inquiry | undefined> {
  const { resources, types } = platform;
  const path = formatPath(['managed', type.name, id]);
  const seesAll = await resources.maySeeScripts(context);
  const answers = new Map<string, Promise<JsonObject | undefined>>();
  /** What is read is asked of the router, where something may be kept of it; else what is stored is what is shown. */
  const shown = (at: string, names: readonly string[], stored: JsonObject) => {
    const key = JSON.stringify([at, names]);
    const answer = answers.get(key) ?? ask(readOf(at, names), stored);
    answers.set(key, answer);
    return answer;
  };
  const ask = async (request: ReadRequest, stored: JsonObject): Promise<JsonObject | undefined> => {
    const isAsStored = seesAll || (!isManaged(request) && !resources.judgesAnswer(request));
    try {
      if (isAsStored) {
        await resources.admitRead(context, request);
        return stored;
      }
      const answer = await resources.handle(context, request);
      return answer.kind === 'resource' && isObject(answer.content) ? answer.content : undefined;
    } catch (error) {
      if (isKept(error)) return undefined;
      throw error;
    }
  };
  const db = await readerOf(platform, context);
  if ((await shown(path, [], {})) === undefined) return undefined;
  const object = await findObject(db, objectStore(['managed', type.name]), id);
  if (object === undefined) return undefined;
  const seen = seenIn({ type, object });
  const kept = new Set([...type.privates, ...type.secrets.map(({ name }) => name)]);
  const shows = async (name: string): Promise<boolean> => {
    if (seesAll || name === '_id') return true;
    if (kept.has(name)) return false;
    if (!type.runsScripts.read && !resources.judgesAnswer(readOf(path, [name]))) return true;
    // What is not in the answer may be kept from it: even that there is none is then not told.
    const value = (await shown(path, [name], seen))?.[name];
    const own = seen[name];
    return value !== undefined && own !== undefined && equalJson(value, own);
  };
  const keeps = async (property: string, references: readonly Reference[]) => {
    const read = readOf(path, [property]);
    const isJudged = !seesAll && references.length > 0 && resources.judgesAnswer(read);
    if (!isJudged) return new Set(references.map(({ _ref }) => _ref));
    const isList = type.relationships.get(property)?.isArray !== false;
    const value = isList ? [...references] : (references[0] ?? null);
    const whole = resource(object.id, String(object.rev), { [property]: value });
    const answer = await resources.shown(context, read, whole);
    const left =
      answer?.kind === 'resource' && isObject(answer.content) ? answer.content[property] : undefined;
    const shownOnes = Array.isArray(left) ? left : [left];
    return new Set(shownOnes.flatMap((each) => (isObject(each) ? String(each['_ref']) : [])));
  };
  return { db, types, shown, shows, keeps, now: Date.now(), type, object };
}

function readOf(path: string, names: readonly string[]): ReadRequest {
  return { method: 'read', path: parsePath(path), fields: names.map((name) => [name]), parameters: {} };
}

function isManaged({ path }: ReadRequest): boolean {
  return typeNameOf(formatPath(path.slice(0, -1))) !== null;
}
