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
  /** Up to which number of each server nothing is looked at again, where that is later than `before` of its largest. */
  readonly done: ReadonlyMap<string, string>;
  /** Numbers that were told, as far as they will be looked at again. */
  readonly told: ReadonlySet<string>;
}

/** A write that takes longer than this to become visible may be missed. */
const OVERLAP_MS = 5_000;
/** More would make the token too long: where there are more in that time, only as many of the last are looked at again. */
const MOST_TOLD = 2_000;
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

/** The place of somebody who has been told nothing yet. */
export function placeOf(mode: Place['mode']): Place {
  return { mode, last: new Map(), done: new Map(), told: new Set() };
}

/** The first number that may have to be looked at; undefined for all. */
export function firstOf({ last, done }: Place): string | undefined {
  return [...last].map(([server, number]) => laterOf(before(number), done.get(server))).sort()[0];
}

export function isNew({ last, done, told }: Place, number: string): boolean {
  const server = serverOf(number);
  const known = last.get(server);
  if (known === undefined) return true;
  return number >= before(known) && number > (done.get(server) ?? '') && !told.has(number);
}

function laterOf(one: string, other = ''): string {
  return one > other ? one : other;
}

/** The place after these numbers. */
export function placeAfter({ mode, last, done, told }: Place, numbers: readonly string[]): Place {
  const now = raised(last, numbers);
  const kept = [...told, ...numbers]
    .filter((number) => number >= before(now.get(serverOf(number)) ?? number))
    .sort();
  const forgotten = kept.splice(0, Math.max(0, kept.length - MOST_TOLD));
  return { mode, last: now, done: raised(done, forgotten), told: new Set(kept) };
}

function raised(known: ReadonlyMap<string, string>, numbers: readonly string[]): ReadonlyMap<string, string> {
  const now = new Map(known);
  for (const number of numbers) now.set(serverOf(number), laterOf(number, now.get(serverOf(number))));
  return now;
}

export function tokenOf({ mode, last, done, told }: Place): Token {
  const [largest, passed] = [Object.fromEntries(last), Object.fromEntries(done)];
  return JSON.stringify({
    mode,
    last: largest,
    ...(done.size === 0 ? {} : { done: passed }),
    told: [...told],
  });
}

/** @throws ConnectorError `tokenExpired` */
export function placeAt(token: Token, mode: Place['mode']): Place {
  const read = parsed(token);
  const { last, done = {}, told } = read;
  if (read['mode'] !== mode || !isNumbered(last) || !isNumbered(done) || !Array.isArray(told)) {
    throw new ConnectorError('tokenExpired', `'${token.slice(0, 100)}' is no token of ${mode}`);
  }
  const [largest, passed] = [new Map(Object.entries(last)), new Map(Object.entries(done))];
  return { mode, last: largest, done: passed, told: new Set(told.map(String)) };
}

function isNumbered(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every(isNumber);
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
