import { BadRequestError, didYouMean } from '#errors/index.ts';

const TOTAL_POLICIES = ['NONE', 'ESTIMATE', 'EXACT'] as const;
export type TotalPolicy = (typeof TOTAL_POLICIES)[number];

/** The part of a result that is wanted. Without a page size there is one page, and nothing is counted or skipped. */
export interface Paging {
  /** Rows of a page; 0 means that all rows are wanted. */
  readonly pageSize: number;
  /** Rows, not pages, to skip. Never together with a cookie. */
  readonly offset: number;
  readonly cookie?: string;
  readonly totalPolicy: TotalPolicy;
}

/** A page of rows. `cookie` is null on the last page; `total` is -1 when it was not counted. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly cookie: string | null;
  readonly total: number;
}

export const NO_PAGING: Paging = { pageSize: 0, offset: 0, totalPolicy: 'NONE' };

/** The four paging parameters as they come from a URL (text) or a script (text or numbers). */
export interface PagingParameters {
  readonly _pageSize?: string | number | undefined;
  readonly _pagedResultsOffset?: string | number | undefined;
  readonly _pagedResultsCookie?: string | null | undefined;
  readonly _totalPagedResultsPolicy?: string | undefined;
}

/**
 * Reads the paging parameters. A page size of 0 or less means no paging; then offset, cookie and policy have no
 * effect, as clients of this protocol expect.
 *
 * @throws BadRequestError `PAGING_BAD_NUMBER`, `PAGING_BAD_POLICY`, `PAGING_OFFSET_AND_COOKIE`
 */
export function parsePaging(parameters: PagingParameters): Paging {
  const pageSize = Math.max(0, readInteger('_pageSize', parameters._pageSize));
  const offset = Math.max(0, readInteger('_pagedResultsOffset', parameters._pagedResultsOffset));
  const totalPolicy = readPolicy(parameters._totalPagedResultsPolicy ?? 'NONE');
  const cookie = parameters._pagedResultsCookie ?? '';
  if (offset > 0 && cookie !== '') {
    throw new BadRequestError('_pagedResultsOffset and _pagedResultsCookie exclude each other', {
      id: 'PAGING_OFFSET_AND_COOKIE',
      hint: 'Give the cookie of the last page, or an offset',
    });
  }
  if (pageSize === 0) return NO_PAGING;
  return { pageSize, offset, totalPolicy, ...(cookie === '' ? {} : { cookie }) };
}

const MAX_INTEGER = 2 ** 31 - 1;

function readInteger(field: string, value: string | number | undefined): number {
  if (value === undefined) return 0;
  const integer = /^[+-]?\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (integer >= -MAX_INTEGER - 1 && integer <= MAX_INTEGER) return integer;
  throw new BadRequestError(`${field} is '${value}', not an integer of 32 bits`, {
    id: 'PAGING_BAD_NUMBER',
    field,
  });
}

function readPolicy(value: string): TotalPolicy {
  const policy = TOTAL_POLICIES.find((known) => known === value.toUpperCase());
  if (policy !== undefined) return policy;
  throw new BadRequestError(`_totalPagedResultsPolicy is '${value}'`, {
    id: 'PAGING_BAD_POLICY',
    field: '_totalPagedResultsPolicy',
    hint: didYouMean(value, TOTAL_POLICIES) ?? `Policies are ${TOTAL_POLICIES.join(', ')}`,
  });
}
