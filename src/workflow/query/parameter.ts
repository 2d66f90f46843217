import { BadRequestError, didYouMean } from '#errors/index.ts';
import { PROTOCOL_PARAMETERS } from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';

/** `true` in any case filters, everything else does not. */
export function isTrue(value: string): boolean {
  return value.toLowerCase() === 'true';
}

/** @throws BadRequestError `WORKFLOW_BAD_PARAMETER` */
export function readInteger(name: string, value: string): number {
  const number = /^[+-]?\d{1,9}$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (!Number.isNaN(number)) return number;
  throw new BadRequestError(`${name} is '${value}', which is not a whole number`, {
    id: 'WORKFLOW_BAD_PARAMETER',
    field: name,
  });
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** @returns the instant as ISO text in UTC. @throws BadRequestError `WORKFLOW_BAD_PARAMETER` */
export function readInstant(name: string, value: string): string {
  // A plus sign that was not encoded has become a blank.
  const text = value
    .trim()
    .replace(/(T[\d:.,]+) (\d\d:?\d\d)$/, '$1+$2')
    .replace(',', '.');
  if (ISO.test(text)) {
    const zoned = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text) || !text.includes('T') ? text : `${text}Z`;
    const at = parseInstant(
      zoned
        .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
        .replace(/([+-]\d\d)$/, (zone) => (zoned.includes('T') ? `${zone}:00` : zone)),
    );
    // Postgres knows no year 0, and writes those from 10000 on in another way.
    if (isInstant(at)) return new Date(at).toISOString();
  }
  throw new BadRequestError(`${name} is '${value}', which is not a date`, {
    id: 'WORKFLOW_BAD_PARAMETER',
    field: name,
    hint: "Write it like '2026-01-31T09:00:00Z'",
  });
}

/** What parameters begin with that ask for the value of a variable. */
export const VARIABLE = 'var-';

/** Names behind the prefix `var-` with the value each must have. */
export function variableParameters(
  parameters: Readonly<Record<string, string>>,
): [name: string, value: string][] {
  return Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    name.startsWith(VARIABLE) && name !== VARIABLE ? [[name.slice(VARIABLE.length), value]] : [],
  );
}

/** Scripts send them along. */
const OF_THE_PROTOCOL: ReadonlySet<string> = new Set(PROTOCOL_PARAMETERS);

/**
 * @param known names that the query understands; those of variables it does when `var-` is among them
 * @throws BadRequestError `WORKFLOW_UNKNOWN_PARAMETER`: a filter that is passed over would answer what nobody has asked for
 */
export function refuseUnknownParameters(
  parameters: Readonly<Record<string, string>>,
  known: readonly string[],
): void {
  const names = known.filter((name) => name !== VARIABLE);
  const takesVariables = names.length < known.length;
  const isKnown = (name: string) =>
    names.includes(name) ||
    OF_THE_PROTOCOL.has(name) ||
    (takesVariables && name.startsWith(VARIABLE) && name !== VARIABLE);
  const unknown = Object.keys(parameters).find((name) => !isKnown(name));
  if (unknown === undefined) return;
  const list = takesVariables ? [...names, `${VARIABLE}<name>`] : names;
  throw new BadRequestError(`This query knows no parameter '${unknown}'`, {
    id: 'WORKFLOW_UNKNOWN_PARAMETER',
    field: unknown,
    hint: didYouMean(unknown, names) ?? (list.length === 0 ? 'It knows none' : `It knows ${list.join(', ')}`),
  });
}
