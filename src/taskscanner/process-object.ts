import { errorIdOf, NotFoundError, NotSupportedError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, parsePointer, removeAt, setAt } from '#json/index.ts';
import { type Connection, type Context, formatPath, parsePath, type Resource } from '#resource/index.ts';
import { type BindingsOf, parseScriptReference, ScriptError, type ScriptUse } from '#script/index.ts';
import { type CurrentObject, type FoundObject, isClaimable } from './claimable.ts';
import type { ScanDefinition } from './scan-definition.ts';
import { connectionOf, type TaskScannerPlatform } from './scan-platform.ts';
import type { Verdict } from './scan-run.ts';

export interface Processed {
  readonly verdict: Verdict;
  /** What the script answered instead of true. */
  readonly error?: ResourceError;
}

/** Somebody changed the object between our look and our claim: look again. */
export class ClaimLostError extends ResourceError {
  override readonly name = 'ClaimLostError';
  constructor(path: string) {
    super(409, `'${path}' changed while it was being claimed`, { id: 'SCAN_CLAIM_LOST' });
  }
}

export function pathOf({ object }: Pick<ScanDefinition, 'object'>, [id]: FoundObject): string {
  return formatPath([...parsePath(object), id]);
}

/** The script of a scan, run for each object. */
export const SCAN_USE = {
  title: 'a scan, once for each object; true says that it is done',
  bindings: {
    input: { type: 'object', says: 'the object as it was claimed', isManaged: true },
    objectID: { type: 'string', says: 'the path of the object with its id' },
  },
} as const satisfies ScriptUse;

/**
 * Claims an object, runs the script on it, and marks it completed if the script answers true: all within the
 * context's unit of work.
 *
 * @param lookFirst false: claim an object that nobody had started when it was found without looking at it again; its
 *   revision tells whether it has changed
 * @throws what the script throws, or `ClaimLostError`
 */
export async function processObject(
  platform: TaskScannerPlatform,
  context: Context,
  scan: { readonly definition: ScanDefinition; readonly label: string },
  found: FoundObject,
  { lookFirst = true } = {},
): Promise<Processed> {
  const { definition, label } = scan;
  const connection = connectionOf(platform, context);
  const path = pathOf(definition, found);
  const [, revision, started] = found;
  const isPlain = started === null && revision !== null && !lookFirst;
  const current = isPlain ? { revision } : await look(platform, connection, definition, found);
  if (current === undefined) return { verdict: 'skipped' };
  const claimed = await claimObject(platform, connection, definition, path, current.revision).catch(
    ignoreMissing,
  );
  if (claimed === undefined) return { verdict: 'skipped' };
  const { value } = await platform.scripts.evaluate(context, {
    reference: parseScriptReference(definition.script),
    label,
    bindings: { input: claimed, objectID: path } satisfies BindingsOf<typeof SCAN_USE>,
  });
  if (value !== true) {
    return {
      verdict: 'failures',
      error: new ResourceError(500, `The script answered ${JSON.stringify(value)}, not true`, {
        id: 'SCAN_NOT_TRUE',
      }),
    };
  }
  const completed = { [definition.completed]: new Date(platform.clock.now()).toISOString() };
  // A script may have done with the object by deleting it.
  await stampObject(connection, definition, path, null, completed).catch(ignoreMissing);
  return { verdict: 'successes' };
}

/** The object as it is now; undefined when it may not be claimed. */
async function look(
  platform: TaskScannerPlatform,
  connection: Connection,
  definition: ScanDefinition,
  found: FoundObject,
): Promise<CurrentObject | undefined> {
  const current = await readCurrent(connection, pathOf(definition, found));
  const now = platform.clock.now();
  return current !== undefined && isClaimable(definition, found, current, now) ? current : undefined;
}

/** Sets the started pointer, if the object is still at the revision. @returns the object with its id and revision */
export async function claimObject(
  { clock }: Pick<TaskScannerPlatform, 'clock'>,
  connection: Connection,
  definition: ScanDefinition,
  path: string,
  revision: string | null,
): Promise<JsonObject> {
  const stamps = { [definition.started]: new Date(clock.now()).toISOString(), [definition.completed]: null };
  try {
    const { id, revision: rev, content } = await stampObject(connection, definition, path, revision, stamps);
    const members = isObject(content) ? content : {};
    return { ...members, _id: id, _rev: rev };
  } catch (error) {
    if (await isLost(connection, path, revision, error)) throw new ClaimLostError(path);
    throw error;
  }
}

/** A hook may throw the same codes, and would throw them again. */
async function isLost(
  connection: Connection,
  path: string,
  revision: string | null,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ResourceError) || (error.code !== 412 && error.code !== 409)) return false;
  if (revision === null || error instanceof ScriptError || errorIdOf(error) === 'OBJECT_CHANGED_BY_HOOK')
    return false;
  const now = await readCurrent(connection, path);
  return now?.revision !== revision;
}

/**
 * Sets the values at pointers, null taking them away: by a patch, or on a resource without patches by a read and an
 * update.
 */
async function stampObject(
  connection: Connection,
  { synchronize }: ScanDefinition,
  path: string,
  revision: string | null,
  stamps: Readonly<Record<string, string | null>>,
): Promise<Resource> {
  const options = synchronize ? {} : { parameters: { _synchronize: 'false' } };
  const values = Object.entries(stamps).map(([text, value]) => ({ field: parsePointer(text), value }));
  try {
    const operations = values.map(({ field, value }) =>
      value === null
        ? ({ operation: 'remove', field } as const)
        : ({ operation: 'replace', field, value } as const),
    );
    return await connection.patch(path, revision, operations, options);
  } catch (error) {
    if (!(error instanceof NotSupportedError)) throw error;
    const current = await connection.read(path);
    const { _id, _rev, ...members } = isObject(current.content) ? structuredClone(current.content) : {};
    for (const { field, value } of values) {
      if (value === null) removeAt(members, field);
      else setAt(members, field, value);
    }
    return connection.update(path, revision ?? current.revision, members, options);
  }
}

export async function readCurrent(connection: Connection, path: string): Promise<CurrentObject | undefined> {
  const found = await connection.read(path).catch(ignoreMissing);
  if (found === undefined) return undefined;
  return { revision: found.revision, content: isObject(found.content) ? found.content : {} };
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}
