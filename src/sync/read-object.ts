import { errorIdOf, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type Pointer } from '#json/index.ts';
import { Connection, formatPath, parsePath, resourceBody } from '#resource/index.ts';
import type { Stage } from './stage.ts';

/**
 * An object as the server itself is shown it: with what is calculated, and with the properties that are asked for by name, such as
 * relationships.
 *
 * @returns null where there is none
 */
export async function readObject(
  { platform, context }: Pick<Stage, 'platform' | 'context'>,
  collection: string,
  id: string,
  named: Iterable<string>,
): Promise<JsonObject | null> {
  const path = formatPath([...parsePath(collection), id]);
  const fields: Pointer[] = [['*'], ...[...new Set(named)].map((name) => [name])];
  try {
    const body = resourceBody(await new Connection(platform.resources, context).read(path, { fields }));
    return isObject(body) ? body : null;
  } catch (error) {
    // A type that is gone, or a hook that says so, must not be taken for an object that was deleted.
    if (error instanceof NotFoundError && errorIdOf(error) === undefined) return null;
    throw error;
  }
}
