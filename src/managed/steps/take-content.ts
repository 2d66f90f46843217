import { BadRequestError } from '#errors/index.ts';
import { cloneJson } from '#json/index.ts';
import type { UpdateRequest } from '#resource/index.ts';
import { type Exchange, withoutIdentity } from '../exchange.ts';

/** The body becomes the object in work. Its `_rev` is ignored; only `If-Match` compares revisions. */
export function takeContent(exchange: Exchange): void {
  const { content } = exchange.request as UpdateRequest;
  const inBody = content['_id'];
  if (inBody !== undefined && inBody !== null && inBody !== exchange.id) {
    throw new BadRequestError(
      `The body's _id ${JSON.stringify(inBody)} is not the '${exchange.id}' of the address`,
      { id: 'OBJECT_ID_MISMATCH', field: '/_id', hint: 'An id cannot be changed' },
    );
  }
  exchange.object = withoutIdentity(cloneJson(content));
}
