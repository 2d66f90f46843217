import { placeOfEnvelope } from '#crypto/index.ts';
import { BadRequestError } from '#errors/index.ts';
import { formatPointer, type Pointer } from '#json/index.ts';
import type { Request } from './request.ts';
import type { Filter } from './router.ts';

/**
 * Nobody outside of the server has an encrypted or hashed value, so one that comes from there is stolen or made up, and
 * what gets it on its way may open it with the rights of the server: a script, an expression, an object that a process writes.
 *
 * @param judges whether what is asked knows itself which of them are its own
 * @returns a filter; it throws BadRequestError `CRYPTO_FOREIGN_ENVELOPE`
 */
export function refuseEnvelopes(judges: (request: Request) => boolean): Filter {
  return async (context, request, next) => {
    if (context.client.isExternal) {
      const place = placeIn(request);
      if (place !== undefined && !judges(request)) throw foreign(place);
    }
    return next(context, request);
  };
}

function placeIn(request: Request): Pointer | undefined {
  if (request.method === 'patch') {
    const meant = request.operations.find(
      ({ field, value }) =>
        field.includes('$crypto') || (value !== undefined && placeOfEnvelope(value) !== undefined),
    );
    return meant?.field;
  }
  return 'content' in request ? placeOfEnvelope(request.content) : undefined;
}

function foreign(place: Pointer): BadRequestError {
  const field = formatPointer(place);
  return new BadRequestError(`'${field}' holds a $crypto value, and none is taken here`, {
    id: 'CRYPTO_FOREIGN_ENVELOPE',
    field,
    hint: 'Send the plain value; a seal stands for a secret where it was shown, and nowhere else',
  });
}
