import { randomUUID } from 'node:crypto';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { CreateRequest } from './request.ts';

/**
 * What a new object is called: by the address, else by the body's `_id`, else a new UUID.
 *
 * @throws BadRequestError when the two differ, or `_id` is no text
 */
export function newIdOf(request: Pick<CreateRequest, 'newResourceId' | 'content'>): string {
  const { newResourceId, content } = request;
  if (newResourceId !== null) requireSameId(content, newResourceId);
  return newResourceId ?? idInBody(content) ?? randomUUID();
}

/** A body may repeat the id of its address, as it was read. @throws BadRequestError for any other */
export function requireSameId(content: JsonObject, id: string): void {
  const inBody = idInBody(content);
  if (inBody === null || inBody === id) return;
  throw new BadRequestError(`The body's _id '${inBody}' is not the '${id}' of the address`, {
    id: 'OBJECT_ID_MISMATCH',
    field: '/_id',
    hint: 'Leave _id out of the body; an id cannot be changed',
  });
}

function idInBody(content: JsonObject): string | null {
  const id = content['_id'] ?? null;
  if (id === null || (typeof id === 'string' && id !== '')) return id;
  throw new BadRequestError(`_id is ${JSON.stringify(id)}, not a text`, {
    id: 'OBJECT_BAD_ID',
    field: '/_id',
    hint: 'Leave it out for a new one',
  });
}
