import { BadRequestError } from '#errors/index.ts';
import { applyPatch, type PatchRequest } from '#resource/index.ts';
import { type Exchange, withIdentity, withoutIdentity } from '../exchange.ts';

export async function applyOperations(exchange: Exchange): Promise<void> {
  const { operations } = exchange.request as PatchRequest;
  const before = withIdentity(exchange.id, exchange.rev, exchange.object);
  const after = await applyPatch(before, operations);
  if (after['_id'] !== before['_id']) {
    throw new BadRequestError(`The _id of '${exchange.id}' cannot be changed`, {
      id: 'OBJECT_ID_MISMATCH',
      field: '/_id',
    });
  }
  exchange.object = withoutIdentity(after);
}
