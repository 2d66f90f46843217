import { BadRequestError } from '#errors/index.ts';
import { PROTOCOL_PARAMETERS } from '#resource/index.ts';

/** May be repeated, and the values are joined by commas; all others may be given once only. */
const LISTS: ReadonlySet<string> = new Set(['_fields', '_sortKeys']);

export type ReservedParameter = (typeof PROTOCOL_PARAMETERS)[number];

export interface UrlParameters {
  readonly reserved: Readonly<Partial<Record<ReservedParameter, string>>>;
  /** Everything else, as it was written; of a repeated one the last counts. */
  readonly additional: Readonly<Record<string, string>>;
}

const RESERVED = new Map<string, ReservedParameter>(
  PROTOCOL_PARAMETERS.map((name) => [name.toLowerCase(), name]),
);

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
    } else if (LISTS.has(name)) {
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
