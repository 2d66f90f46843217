import { errorIdOf, NotFoundError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { Connection, formatPath, parsePath, type Resource } from '#resource/index.ts';
import { noteAttached } from './attached-repository.ts';
import { changeSet } from './change-set.ts';
import type { Sight } from './look.ts';
import {
  findOutside,
  type Intent,
  noteIntent,
  noteMade,
  type OutsideKey,
  settlements,
} from './outside-repository.ts';
import { readObject } from './read-object.ts';
import type { Scope } from './stage.ts';

/** Errors that say nothing of the object: the system is not there, has no time, or its file does not fit it. */
const AWAY: ReadonlySet<unknown> = new Set([
  'SYSTEM_UNAVAILABLE',
  'SYSTEM_TIMEOUT',
  'SYSTEM_THROTTLED',
  'SYSTEM_BUSY',
  'SYSTEM_DISABLED',
  'SYSTEM_MISCONFIGURED',
  'SYSTEM_INVALID_CREDENTIALS',
]);

/** Failures among these by which the system says no, so that it has not done it. */
const REFUSING: ReadonlySet<unknown> = new Set([
  'SYSTEM_THROTTLED',
  'SYSTEM_DISABLED',
  'SYSTEM_MISCONFIGURED',
  'SYSTEM_INVALID_CREDENTIALS',
]);

/** Whether objects are another system's: what is written there is not taken back. */
export function isOutside(collection: string): boolean {
  return collection.startsWith('system/');
}

export function isAway(error: unknown): boolean {
  return isAwayId(errorIdOf(error));
}

export function isAwayId(id: unknown): boolean {
  return AWAY.has(id);
}

/**
 * Makes a target in another system. That it is about to be made is written down at once, whatever becomes of the unit of work: who finds
 * it there afterwards, and nobody knows whether it was made, takes it for what was made then. Where a second one would be made instead,
 * and no correlation has looked for the first, that is not asked for again.
 *
 * @returns the id that the other system has given it
 */
export async function createOutside(scope: Scope, sourceId: string, content: JsonObject): Promise<string> {
  const { platform, mapping, context } = scope;
  const key = keyOf(scope, sourceId);
  const before = await platform.aside((db) => findOutside(db, key));
  const isUnknown = before?.intent === 'create';
  const isRehearsed = context.rehearsed === true;
  await announce(scope, sourceId);
  if (isUnknown && before.made_id !== null && (await isThere(scope, before.made_id))) {
    return adopt(scope, sourceId, before.made_id, content);
  }
  if (!isUnknown && !isRehearsed) await platform.aside((db) => noteIntent(db, key, 'create'));
  const isRepeated = isUnknown && before.made_id === null && mapping.correlations.length === 0;
  const options = isRepeated ? { parameters: { isRepeated: 'true' } } : {};
  try {
    const connection = new Connection(platform.resources, context);
    const made = idOf(await connection.create(mapping.target, null, content, options));
    if (scope.isAttached === true && !isRehearsed) await platform.aside((db) => noteMade(db, key, made));
    return made;
  } catch (error) {
    const existing = existingIn(error);
    if (isUnknown && existing !== undefined) return adopt(scope, sourceId, existing, content);
    if (!isUnknown && !isRehearsed && isRefusal(error)) {
      await platform.aside((db) => noteIntent(db, key, null));
    }
    throw error;
  }
}

/** @returns the id that it has afterwards, which is another one where ids are names */
export async function patchOutside(
  scope: Scope,
  sourceId: string,
  id: string,
  operations: Parameters<Connection['patch']>[2],
): Promise<string> {
  await announce(scope, sourceId);
  const connection = new Connection(scope.platform.resources, scope.context);
  return idOf(await connection.patch(pathOf(scope, id), null, operations));
}

/** What is gone already is no failure: an earlier try may have done it. */
export async function deleteOutside(scope: Scope, sourceId: string, id: string): Promise<void> {
  const { platform, context } = scope;
  const key = keyOf(scope, sourceId);
  await announce(scope, sourceId);
  if (context.rehearsed !== true) await platform.aside((db) => noteIntent(db, key, 'delete'));
  try {
    await new Connection(platform.resources, context).delete(pathOf(scope, id), null);
  } catch (error) {
    if (!(error instanceof NotFoundError) || errorIdOf(error) !== undefined) throw error;
  }
  context.unitOfWork.writeAtCommit(settlements, [{ ...key, secrets: null }]);
}

/** What an earlier try has asked about a target that is gone though it is linked, and of which nobody has been told. */
export async function askedOutside(
  scope: Scope,
  { link, target, sourceId }: Sight,
): Promise<Intent | undefined> {
  if (!isOutside(scope.mapping.target) || link === undefined || target !== null) return undefined;
  const row = await scope.platform.aside((db) => findOutside(db, keyOf(scope, sourceId)));
  return row?.intent ?? undefined;
}

/** The target with hashes of what cannot be read back: what is wanted is compared with them. */
export async function withKnownSecrets(
  scope: Scope,
  sourceId: string,
  target: JsonObject,
  wanted: JsonObject,
): Promise<JsonObject> {
  if (scope.isForced === true) return target;
  const row = await scope.platform.aside((db) => findOutside(db, keyOf(scope, sourceId)));
  const known = Object.entries(row?.secrets ?? {}).filter(([name]) => Object.hasOwn(wanted, name));
  return { ...target, ...Object.fromEntries(known) };
}

/** Remembers, with the unit of work, that it was done, and of what is encrypted a hash. */
export async function settleOutside(scope: Scope, sourceId: string, written: JsonObject): Promise<void> {
  const { crypto } = scope.platform;
  const secrets: JsonObject = {};
  for (const [name, value] of Object.entries(written)) {
    if (crypto.isEncrypted(value)) secrets[name] = await crypto.hash(await crypto.decrypt(value), null);
  }
  scope.context.unitOfWork.writeAtCommit(settlements, [{ ...keyOf(scope, sourceId), secrets }]);
}

/** What is asked now stays there, whatever becomes of the unit of work: whoever finds this, and no unit of work, delivers what is stored. */
async function announce({ platform, context, mapping, isAttached }: Scope, sourceId: string): Promise<void> {
  if (isAttached !== true || context.rehearsed === true) return;
  await platform.aside((db) => noteAttached(db, mapping.name, sourceId));
}

async function isThere(scope: Scope, id: string): Promise<boolean> {
  return (await readObject(scope, scope.mapping.target, id, [])) !== null;
}

async function adopt(scope: Scope, sourceId: string, id: string, content: JsonObject): Promise<string> {
  const { platform, mapping } = scope;
  const found = await readObject(scope, mapping.target, id, Object.keys(content));
  const operations = await changeSet(platform.crypto, found ?? {}, { ...found, ...content });
  return operations.length === 0 ? id : patchOutside(scope, sourceId, id, operations);
}

/** The id of the object that is there already, where the other system tells it. */
function existingIn(error: unknown): string | undefined {
  const detail = error instanceof ResourceError ? error.detail : undefined;
  const existing = isObject(detail) ? detail['existingId'] : undefined;
  return typeof existing === 'string' ? existing : undefined;
}

/** It says no, so that it has not done it. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ResourceError)) return false;
  if (isAway(error)) return REFUSING.has(errorIdOf(error)) || isUnasked(error);
  return error.code < 500 || error.code === 501;
}

function isUnasked({ detail }: ResourceError): boolean {
  return isObject(detail) && detail['wasAsked'] === false;
}

function idOf({ id }: Resource): string {
  if (id === null) throw new Error('Another system has answered an object without an id');
  return id;
}

function keyOf({ mapping, qualifier }: Scope, sourceId: string): OutsideKey {
  return { mapping: mapping.name, qualifier, sourceId };
}

function pathOf({ mapping }: Scope, id: string): string {
  return formatPath([...parsePath(mapping.target), id]);
}
