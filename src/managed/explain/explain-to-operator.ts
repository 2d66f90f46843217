import type { Db } from '#database/index.ts';
import { BadRequestError, didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import { ManagedTypes } from '../managed-types.ts';
import { explainDerived, parseQuestion } from './explain-derived.ts';
import type { Inquiry } from './explain-grants.ts';

/**
 * As the action `explain`, for who has the database before them: nothing is kept from them.
 *
 * @param definitions the types of managed.json
 */
export async function explainToOperator(
  db: Db,
  definitions: readonly JsonObject[],
  { typeName, id, question }: { typeName: string; id: string; question: JsonObject },
): Promise<JsonObject> {
  const types = new ManagedTypes();
  types.replace(definitions);
  const type = types.current().get(typeName);
  if (type === undefined) {
    const hint = didYouMean(typeName, types.current().keys());
    throw new BadRequestError(`There is no type '${typeName}'`, hint === undefined ? {} : { hint });
  }
  const asked = parseQuestion(type, question);
  const object = await findObject(db, objectStore(['managed', typeName]), id);
  if (object === undefined) throw new NotFoundError(`There is no ${typeName} '${id}'`);
  const all: Pick<Inquiry, 'shown' | 'shows' | 'keeps'> = {
    shown: async (_path, _properties, stored) => stored,
    shows: async () => true,
    keeps: async (_property, references) => new Set(references.map(({ _ref }) => _ref)),
  };
  return explainDerived({ db, types, ...all, now: Date.now(), type, object }, asked);
}
