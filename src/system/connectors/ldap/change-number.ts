import { ConnectorError, type Token } from '../../contract.ts';

/**
 * Where somebody stands in the changes of an OpenLDAP: change sequence numbers, which each server of a cluster gives its own writes. A
 * write may become visible after one with a larger number, so that a little is looked at again; what was told of it is known.
 */
export interface Place {
  /** What is looked at: the log, or the entries themselves. */
  readonly mode: 'accesslog' | 'entryCSN';
  /** The largest number of each server. */
  readonly last: ReadonlyMap<string, string>;
  /** Numbers that were told, as far as they will be looked at again. */
  readonly told: ReadonlySet<string>;
}

/** A write that takes longer than this to become visible may be missed. */
const OVERLAP_MS = 5_000;
/** More would make the token too long; those before them are told again. */
const MOST_TOLD = 1_200;
/** Time, count of that time, server, modification. */
const NUMBER = /^(\d{14})\.(\d{6})Z#([0-9a-f]{6})#([0-9a-f]{3})#[0-9a-f]{6}$/;

export function isChangeNumber(text: string): boolean {
  return NUMBER.test(text);
}

export function serverOf(number: string): string {
  return NUMBER.exec(number)?.[4] ?? '';
}

/** The number from which on is looked again: it stands some seconds before. */
export function before(number: string): string {
  const [, seconds = '', micros = ''] = NUMBER.exec(number) ?? [];
  const [year, month, day, hour, minute, second] = [
    seconds.slice(0, 4),
    ...(seconds.slice(4).match(/../g) ?? []),
  ].map(Number);
  const at = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) - OVERLAP_MS;
  const text = new Date(at).toISOString().replaceAll(/[-:T]|\..*$/g, '');
  return `${text}.${micros}Z#000000#000#000000`;
}

/** The first number that may have to be looked at; undefined for all. */
export function firstOf({ last }: Place): string | undefined {
  return [...last.values()].map(before).sort()[0];
}

export function isNew({ last, told }: Place, number: string): boolean {
  const known = last.get(serverOf(number));
  return known === undefined || (number >= before(known) && !told.has(number));
}

/** The place after these numbers. */
export function after({ mode, last, told }: Place, numbers: readonly string[]): Place {
  const now = new Map(last);
  for (const number of numbers) {
    const server = serverOf(number);
    if (number > (now.get(server) ?? '')) now.set(server, number);
  }
  const kept = [...told, ...numbers].filter(
    (number) => number >= before(now.get(serverOf(number)) ?? number),
  );
  return { mode, last: now, told: new Set(kept.sort().slice(-MOST_TOLD)) };
}

export function tokenOf({ mode, last, told }: Place): Token {
  return JSON.stringify({ mode, last: Object.fromEntries(last), told: [...told] });
}

/** @throws ConnectorError `tokenExpired` */
export function placeAt(token: Token, mode: Place['mode']): Place {
  const read = parsed(token);
  const { last, told } = read;
  const isPlace =
    read['mode'] === mode && isObject(last) && Array.isArray(told) && Object.values(last).every(isNumber);
  if (!isPlace) throw new ConnectorError('tokenExpired', `'${token.slice(0, 100)}' is no token of ${mode}`);
  const numbers = Object.entries(last).map(([server, number]): [string, string] => [server, String(number)]);
  return { mode, last: new Map(numbers), told: new Set(told.map(String)) };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && NUMBER.test(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(token: Token): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(token);
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}
