import { BadRequestError } from '#errors/index.ts';

/** Parameters that may be given once only; the names are compared ignoring case. */
const SINGLE = [
  '_action',
  '_queryFilter',
  '_queryId',
  '_queryExpression',
  '_pageSize',
  '_pagedResultsCookie',
  '_pagedResultsOffset',
  '_totalPagedResultsPolicy',
  '_prettyPrint',
  '_mimeType',
  '_dryRun',
  '_nestedFields',
  '_crestapi',
] as const;
/** May be repeated; the values are joined by commas. */
const LISTS = ['_fields', '_sortKeys'] as const;

export type ReservedParameter = (typeof SINGLE)[number] | (typeof LISTS)[number];

export interface UrlParameters {
  readonly reserved: Readonly<Partial<Record<ReservedParameter, string>>>;
  /** Everything else, as it was written; of a repeated one the last counts. */
  readonly additional: Readonly<Record<string, string>>;
}

const RESERVED = new Map<string, ReservedParameter>(
  [...SINGLE, ...LISTS].map((name) => [name.toLowerCase(), name]),
);
const LIST_NAMES: ReadonlySet<string> = new Set(LISTS);

/** @throws BadRequestError when a parameter that may be given once is given twice */
export function readUrlParameters(search: URLSearchParams): UrlParameters {
  const reserved: Partial<Record<ReservedParameter, string>> = {};
  const additional: Record<string, string> = {};
  for (const [given, value] of search) {
    const name = RESERVED.get(given.toLowerCase());
    if (name === undefined) {
      additional[given] = value;
    } else if (reserved[name] === undefined) {
      reserved[name] = value;
    } else if (LIST_NAMES.has(name)) {
      reserved[name] += `,${value}`;
    } else {
      throw new BadRequestError(`The parameter '${name}' is given more than once`, {
        id: 'HTTP_REPEATED_PARAMETER',
        field: name,
      });
    }
  }
  return { reserved, additional };
}
