import { BadRequestError } from '#errors/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import { type CreateRequest, newIdOf } from '#resource/index.ts';
import { objectExists, type WriteExchange } from '../exchange.ts';
import { lockNewId } from '../relationship/target-repository.ts';

const MAX_ID_LENGTH = 255;

/**
 * The id of the URL or of the body, else a new UUID; two that differ are refused. An id that is taken is refused
 * before any hook runs.
 */
export async function assignId(exchange: WriteExchange<CreateRequest>): Promise<void> {
  const { request } = exchange;
  const id = newIdOf(request);
  if (id.length > MAX_ID_LENGTH) {
    throw new BadRequestError(`The id is ${id.length} characters long; ${MAX_ID_LENGTH} are allowed`, {
      id: 'OBJECT_BAD_ID',
      field: '/_id',
    });
  }
  exchange.id = id;
  if (request.newResourceId === null && (request.content['_id'] ?? null) === null) return;
  const { context, type } = exchange;
  // Edges are written before the object. Of two who create it at once, the second must wait before it writes any.
  if (type.relationships.size > 0) await lockNewId(await context.unitOfWork.db(), type.name, id);
  const db = await context.unitOfWork.reader();
  const taken = await findObject(db, objectStore(['managed', exchange.type.name]), id);
  if (taken !== undefined) throw objectExists(exchange);
}
