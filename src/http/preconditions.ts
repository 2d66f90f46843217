import { BadRequestError, ConflictError, PreconditionFailedError } from '#errors/index.ts';

export interface Preconditions {
  /** `If-Match`; null when absent or `*`. */
  readonly revision: string | null;
  readonly hasIfMatch: boolean;
  /** `If-None-Match`, without quotes. */
  readonly ifNoneMatch: string | null;
}

const DATE_CONDITIONS = ['If-Modified-Since', 'If-Unmodified-Since'] as const;

/**
 * Reads the conditional headers and refuses those that the method cannot honour.
 *
 * @throws ConflictError 409 for date conditions, PreconditionFailedError 412 for one that does not fit the method,
 *   BadRequestError 400 for an `If-None-Match` other than `*` on PUT
 */
export function readPreconditions(
  method: string,
  isAction: boolean,
  header: (name: string) => string | undefined,
): Preconditions {
  for (const name of DATE_CONDITIONS) {
    if (header(name.toLowerCase()) !== undefined) {
      throw new ConflictError(`The header ${name} is not supported`, { id: 'HTTP_DATE_CONDITION' });
    }
  }
  const ifMatch = unquote(header('if-match'));
  const ifNoneMatch = unquote(header('if-none-match'));
  const takesIfMatch = (method === 'PUT' || method === 'PATCH' || method === 'DELETE') && !isAction;
  if (ifMatch !== undefined && !takesIfMatch) throw unfit('If-Match', method);
  if (ifNoneMatch !== undefined) {
    if (method === 'PUT') {
      if (ifMatch !== undefined) {
        throw new PreconditionFailedError('If-Match and If-None-Match exclude each other', {
          id: 'HTTP_BOTH_CONDITIONS',
        });
      }
      if (ifNoneMatch !== '*') {
        throw new BadRequestError(`If-None-Match is '${ifNoneMatch}'; PUT takes only '*'`, {
          id: 'HTTP_IF_NONE_MATCH',
        });
      }
    } else if (method !== 'GET' || ifNoneMatch === '*') {
      throw unfit('If-None-Match', method);
    }
  }
  return {
    revision: ifMatch === undefined || ifMatch === '*' ? null : ifMatch,
    hasIfMatch: ifMatch !== undefined,
    ifNoneMatch: ifNoneMatch ?? null,
  };
}

function unquote(value: string | undefined): string | undefined {
  return value?.trim().replace(/^"(.*)"$/, '$1');
}

function unfit(header: string, method: string): PreconditionFailedError {
  return new PreconditionFailedError(`${header} is not supported for this ${method} request`, {
    id: 'HTTP_CONDITION_UNFIT',
  });
}
