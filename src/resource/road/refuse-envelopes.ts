import { isForKeyPair, placeOfEnvelope, placeOfForeign } from '#crypto/index.ts';
import { BadRequestError } from '#errors/index.ts';
import { formatPointer, type JsonValue, type Pointer } from '#json/index.ts';
import type { Request } from '../request.ts';
import type { Filter } from './filter.ts';
import type { RouteHandler } from './route.ts';

/**
 * Nobody outside of the server has an encrypted or hashed value, so one that comes from there is stolen or made up, and
 * what gets it on its way may open it with the rights of the server: a script, an expression, an object that a process writes.
 *
 * @returns a filter; it throws BadRequestError `CRYPTO_FOREIGN_ENVELOPE`
 */
export function refuseEnvelopes(router: {
  envelopesOf(request: Request): RouteHandler['envelopes'];
}): Filter {
  return async (context, request, next) => {
    if (context.client.isExternal) {
      // Hardly any request has one, so few are looked up for it.
      const place = placeIn(request, (value) => placeOfEnvelope(value));
      if (place !== undefined) requireTaken(request, place, router.envelopesOf(request));
    }
    return next(context, request);
  };
}

function requireTaken(request: Request, place: Pointer, envelopes: RouteHandler['envelopes']): void {
  if (envelopes === undefined) throw foreign(place);
  if (envelopes !== 'seals' && envelopes !== 'sealsAndPairs') return;
  const passes = envelopes === 'sealsAndPairs' && isWritten(request) ? isForKeyPair : undefined;
  const foreignPlace = placeIn(request, (value) => placeOfForeign(value, passes));
  if (foreignPlace !== undefined) throw foreign(foreignPlace);
}

/** Whether the handler itself takes what the request brings; any other action may hand it to a script. */
function isWritten(request: Request): boolean {
  return request.method !== 'action' || request.action === 'patch';
}

function placeIn(request: Request, find: (value: JsonValue) => Pointer | undefined): Pointer | undefined {
  if (request.method === 'patch') {
    const meant = request.operations.find(
      ({ field, value }) => field.includes('$crypto') || (value !== undefined && find(value) !== undefined),
    );
    return meant?.field;
  }
  return 'content' in request ? find(request.content) : undefined;
}

function foreign(place: Pointer): BadRequestError {
  const field = formatPointer(place);
  return new BadRequestError(`'${field}' holds a $crypto value, and none is taken here`, {
    id: 'CRYPTO_FOREIGN_ENVELOPE',
    field,
    hint: 'Send the plain value; a seal stands for a secret where it was shown, and nowhere else',
  });
}
