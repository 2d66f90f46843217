import { PreconditionFailedError } from '#errors/index.ts';
import type { UpdateRequest } from '#resource/index.ts';
import { type Exchange, objectPath } from '../exchange.ts';

export function checkRevision(exchange: Exchange): void {
  const { revision } = exchange.request as UpdateRequest;
  const current = String(exchange.stored!.rev);
  if (revision === null || revision === current) return;
  throw new PreconditionFailedError(
    `Revision '${revision}' of '${objectPath(exchange)}' is not the current one`,
    { id: 'OBJECT_REVISION', hint: `Read it again: it is at revision '${current}' now` },
  );
}
