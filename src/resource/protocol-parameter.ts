import { BadRequestError, didYouMean, nearest } from '#errors/index.ts';

/** The parameters that have a meaning of their own in requests of all kinds. Their names are compared ignoring case. */
export const PROTOCOL_PARAMETERS = [
  '_action',
  '_queryFilter',
  '_queryId',
  '_queryExpression',
  '_sortKeys',
  '_fields',
  '_pageSize',
  '_pagedResultsCookie',
  '_pagedResultsOffset',
  '_totalPagedResultsPolicy',
  '_prettyPrint',
  '_mimeType',
  '_dryRun',
  '_changesLimit',
  '_trace',
  '_nestedFields',
  '_crestapi',
] as const;

const KNOWN: ReadonlySet<string> = new Set(PROTOCOL_PARAMETERS.map((name) => name.toLowerCase()));

/** Queries of processes may ask for it. */
const ID_FIELD = '_id';

/** Parameters that only resources below one path know. */
const OF_ONE_AREA: ReadonlyMap<string, string> = new Map([['_format', 'schema']]);

/**
 * Names that begin with an underscore belong to the protocol, so one that it does not know is a mistake; above all a
 * misspelt `_dryRun`, which must not make a real change of a rehearsal.
 *
 * @param area what the path begins with
 * @param ofScript whether all parameters become variables of a script: then only what may be meant for `_dryRun` is refused
 * @throws BadRequestError
 */
export function refuseUnknownParameter(name: string, area = '', ofScript = false): void {
  if (KNOWN.has(name.toLowerCase()) || name === ID_FIELD) return;
  if (OF_ONE_AREA.get(name) === area.toLowerCase()) return;
  const isRehearsal =
    /^_*dry[_-]?run$/i.test(name) || (name.startsWith('_') && nearest(name, ['_dryRun']) !== undefined);
  if (!isRehearsal && (ofScript || !name.startsWith('_'))) return;
  throw new BadRequestError(`There is no parameter '${name}'`, {
    id: 'HTTP_UNKNOWN_PARAMETER',
    field: name,
    hint: isRehearsal
      ? "Nothing was done. Did you mean '_dryRun'?"
      : (didYouMean(name, PROTOCOL_PARAMETERS) ??
        'Names that begin with an underscore are kept for the protocol'),
  });
}
