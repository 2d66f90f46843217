import { LostRace } from '#database/index.ts';
import { PreconditionFailedError } from '#errors/index.ts';
import { type Loaded, objectPath } from '../exchange.ts';

export function checkRevision(exchange: Loaded): void {
  const { revision, judgedAt } = exchange.request;
  const current = String(exchange.stored.rev);
  if (judgedAt !== undefined && judgedAt !== current) {
    throw new LostRace(`'${objectPath(exchange)}' was changed by another request at the same time`);
  }
  if (revision === null || revision === current) return;
  throw new PreconditionFailedError(
    `Revision '${revision}' of '${objectPath(exchange)}' is not the current one`,
    {
      id: 'OBJECT_REVISION',
      hint: `Read it again: it is at revision '${current}' now`,
      detail: { revision: current },
    },
  );
}
