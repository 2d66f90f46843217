import { getDate, parseDuration } from '@0dep/piso';
import { BadRequestError, wordsOf } from '#errors/index.ts';
import { isInstant } from '#time/index.ts';
import { dateOf, toText, type Value } from '../expression/index.ts';

/** No month is longer than its neighbours by more than a ninth. */
const LONGER = 1.11;

/** When a timer is due, and how it goes on. */
export interface TimerPlan {
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  readonly repeat?: Repetition;
}

export interface Repetition {
  /** An ISO 8601 duration or a cron expression. */
  readonly every: string;
  /** How many firings are left after this one; absent: endless. */
  readonly left?: number;
  /** No firing after this instant. */
  readonly until?: number;
  /** What steps of months and years are counted from, so that the 31st comes back after a shorter month. */
  readonly from?: number;
}

/** The instant after `after` that a cron expression names, or undefined when there is none. */
export type NextCron = (expression: string, after: number) => number | undefined;

/** One firing at a date of the years 1 to 9999: an instant, or ISO text, in UTC when it names no offset. */
export function planDate(value: Value): TimerPlan {
  return { dueAt: readDate(value) };
}

export function planDuration(value: Value, now: number): TimerPlan {
  return { dueAt: addDuration(toText(value), now) };
}

/**
 * `R[n]/[start/]duration[/end]` or a cron expression. The first firing is one duration from now, or at the
 * start when that lies ahead.
 *
 * @returns undefined when the end has passed already
 * @throws BadRequestError `WORKFLOW_BAD_TIMER`
 */
export function planCycle(text: string, end: Value, now: number, nextCron?: NextCron): TimerPlan | undefined {
  const limit = end === null || end === '' ? undefined : readDate(end);
  const cycle = parseCycle(text);
  const until = earlier(limit, cycle?.end);
  const bounds = until === undefined ? {} : { until };
  if (cycle === undefined) {
    const dueAt = cronAfter(text, now, nextCron);
    return dueAt === undefined || isPast(dueAt, until)
      ? undefined
      : { dueAt, repeat: { every: text, ...bounds } };
  }
  const start = cycle.start ?? now;
  const dueAt = start > now ? start : firstAfter(cycle.every, start, now);
  if (isPast(dueAt, until)) return undefined;
  if (cycle.times === 1) return { dueAt };
  const left = cycle.times === undefined ? {} : { left: cycle.times - 1 };
  const from = isOfCalendar(cycle.every) ? { from: start } : {};
  return { dueAt, repeat: { every: cycle.every, ...left, ...bounds, ...from } };
}

/**
 * What follows a firing: counted from the time it was due and not from the moment it was late, and without
 * the firings that were missed meanwhile.
 */
export function planNext(
  dueAt: number,
  repeat: Repetition | undefined,
  now: number,
  nextCron?: NextCron,
): TimerPlan | undefined {
  if (repeat === undefined || repeat.left === 0) return undefined;
  const next = repeat.every.startsWith('P')
    ? firstAfter(repeat.every, repeat.from ?? dueAt, Math.max(now, dueAt))
    : cronAfter(repeat.every, Math.max(now, dueAt), nextCron);
  if (next === undefined || isPast(next, repeat.until)) return undefined;
  return { dueAt: next, repeat: repeat.left === undefined ? repeat : { ...repeat, left: repeat.left - 1 } };
}

/** The instant a due date means: a date, an instant, or a duration from now. */
export function readDueDate(value: Value, now: number): number {
  return typeof value === 'string' && value.startsWith('P') ? addDuration(value, now) : readDate(value);
}

/** The mistake in the literal text of a due date, or undefined. */
export function checkDueDate(text: string): string | undefined {
  return mistakeIn(() => readDueDate(text, 0));
}

/** Whether it says how often and how soon a failed job is tried again: `R5/PT7M`, or durations between commas. */
export function isRetryCycle(text: string): boolean {
  const [, cycle] = /^R\d+\/(P.+)$/.exec(text.trim()) ?? [];
  const pauses = cycle === undefined ? text.split(',') : [cycle];
  return pauses.every((pause) => mistakeIn(() => addDuration(pause.trim(), 0)) === undefined);
}

/** The mistake in the literal text of a timer, or undefined; a cycle that is no ISO text is taken for cron. */
export function checkTimer(
  kind: 'date' | 'duration' | 'cycle',
  text: string,
  checkCron?: (text: string) => string | undefined,
): string | undefined {
  if (kind === 'date') return mistakeIn(() => readDate(text));
  if (kind === 'duration') return mistakeIn(() => addDuration(text, 0));
  return mistakeIn(() => parseCycle(text)) ?? (isIsoCycle(text) ? undefined : checkCron?.(text));
}

function mistakeIn(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    return wordsOf(error);
  }
  return undefined;
}

function readDate(value: Value): number {
  const at = typeof value === 'number' ? value : (dateOf(value) ?? parseDate(toText(value)));
  if (Number.isNaN(at)) {
    throw badTimer(`'${toText(value)}' is not a date`, "Write it like '2026-01-31T09:00:00Z'");
  }
  if (!isInstant(at)) throw badTimer(`'${toText(value)}' is not in the years 1 to 9999`);
  return at;
}

function parseDate(text: string): number {
  try {
    return getDate(text, true).getTime();
  } catch {
    return Number.NaN;
  }
}

function addDuration(text: string, from: number): number {
  const at = applyDuration(text, from);
  if (!isInstant(at)) throw badTimer(`'${text}' leads out of the years 1 to 9999`, 'Use a shorter duration');
  return at;
}

function applyDuration(text: string, from: number): number {
  try {
    if (!text.startsWith('P')) throw new RangeError(text);
    const duration = parseDuration(text);
    const [whole, years = 0, months = 0] = /^P(?:(\d+)Y)?(?:(\d+)M)?/.exec(text)!;
    if (whole === 'P') return duration.getExpireAt(new Date(from)).getTime();
    const at = addMonths(from, Number(years) * 12 + Number(months));
    const rest = `P${text.slice(whole.length)}`;
    return rest === 'P' ? at : parseDuration(rest).getExpireAt(new Date(at)).getTime();
  } catch {
    throw badTimer(`'${text}' is not a duration`, "Write it like 'PT10M' or 'P1DT12H'");
  }
}

/** Where the month is too short, its last day. */
function addMonths(from: number, months: number): number {
  const at = new Date(from);
  const day = at.getUTCDate();
  at.setUTCMonth(at.getUTCMonth() + months);
  if (at.getUTCDate() !== day) at.setUTCDate(0);
  return at.getTime();
}

/** A text may come from a caller, and each firing moves the whole instance: cron has no shorter periods either. */
const HURRY_MS = 1_000;
const MOST_IN_A_HURRY = 100;

interface Cycle {
  readonly times?: number;
  readonly every: string;
  readonly start?: number;
  readonly end?: number;
}

function isIsoCycle(text: string): boolean {
  return /^\s*(R(-1|\d*)(\/|\s*$)|P)/.test(text);
}

/** Undefined when the text is not of the ISO kind. */
function parseCycle(text: string): Cycle | undefined {
  if (!isIsoCycle(text)) return undefined;
  const pieces = text.trim().split('/');
  const count = /^R(-1|\d*)$/.exec(pieces[0] ?? '');
  const rest = count === null ? pieces : pieces.slice(1);
  const place = rest.findIndex((piece) => piece.startsWith('P'));
  const every = rest[place];
  if (every === undefined || rest.length > 3 || place > 1 || rest.length - place > 2) {
    throw badTimer(`'${text}' is not a repetition`, "Write it like 'R3/PT10M'");
  }
  if (addDuration(every, 0) <= 0) throw badTimer(`'${text}' repeats without a pause`);
  const times = count === null ? 1 : count[1] === '' || count[1] === '-1' ? undefined : Number(count[1]);
  if (times === 0) throw badTimer(`'${text}' never fires`);
  if (addDuration(every, 0) < HURRY_MS && (times ?? Number.POSITIVE_INFINITY) > MOST_IN_A_HURRY) {
    throw badTimer(
      `'${text}' repeats more than ${MOST_IN_A_HURRY} times within less than a second each`,
      'Let a second or more pass between two of them',
    );
  }
  const end = rest[place + 1];
  return {
    ...(times === undefined ? {} : { times }),
    every,
    ...(place === 1 ? { start: readDate(rest[0] ?? null) } : {}),
    ...(end === undefined ? {} : { end: readDate(end) }),
  };
}

/** The first `from + n × every` that lies after `after`, n ≥ 1. */
function firstAfter(every: string, from: number, after: number): number {
  const at = addDuration(every, from);
  if (at > after) return at;
  // Without years and months every step is equally long, so a long downtime needs no walk.
  if (!isOfCalendar(every)) return at + (Math.floor((after - at) / (at - from)) + 1) * (at - from);
  let past = 1;
  let ahead = Math.ceil(((after - from) / (at - from)) * LONGER) + 1;
  while (ahead - past > 1) {
    const middle = Math.floor((past + ahead) / 2);
    if (addDuration(times(every, middle), from) > after) ahead = middle;
    else past = middle;
  }
  return addDuration(times(every, ahead), from);
}

/** Whether its steps are of different lengths: those with years or months, of which there may be none. */
function isOfCalendar(every: string): boolean {
  const [date = ''] = every.split('T');
  return [...date.matchAll(/(?<![\d.,])([\d.,]+)[YM]/g)].some(([, count = '']) => /[1-9]/.test(count));
}

function times(every: string, n: number): string {
  return every.replace(/\d+([.,]\d+)?/g, (number) => String(Number(number.replace(',', '.')) * n));
}

function cronAfter(text: string, after: number, nextCron: NextCron | undefined): number | undefined {
  if (nextCron === undefined)
    throw badTimer(`'${text}' is neither an ISO repetition nor can cron be read here`);
  return nextCron(text, after);
}

function isPast(at: number, until: number | undefined): boolean {
  return until !== undefined && at > until;
}

function earlier(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}

function badTimer(message: string, hint?: string): BadRequestError {
  return new BadRequestError(`The timer value ${message}`, {
    id: 'WORKFLOW_BAD_TIMER',
    ...(hint === undefined ? {} : { hint }),
  });
}
