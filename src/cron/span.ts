import { didYouMean } from '#errors/index.ts';
import { badPiece, type Piece } from './cron-error.ts';
import { CRON_FIELD, type CronField, valueOfName } from './cron-field.ts';

/**
 * What a plain element (`*`, `a`, `a-b`, with or without `/s`) stands for: `from`, `from + step`, … up to `to`.
 * A `to` below `from` wraps around the end of the field.
 */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** A lone value, as against `*`, a range or a step. */
  readonly isSingle: boolean;
}

export type Warn = (warning: string) => void;

const SPAN = /^(?:(\*)|(\w+)(?:-(\w+))?)?(?:\/(\w*))?$/;

/** @throws BadRequestError `SCHED_BAD_CRON` */
export function readSpan(piece: Piece, warn: Warn): Span {
  const { field, text } = piece;
  if (text === '')
    throw badPiece(piece, 'is empty', 'Remove the comma, or write a value on both sides of it');
  const match = SPAN.exec(text);
  if (match === null) throw unreadable(piece);
  const [, , start, end, stepText] = match;

  if (start === undefined) {
    const step = stepText === undefined ? 1 : readStep(piece, stepText);
    if (step === 0) throw badPiece(piece, 'has the step 0', "Write '*' for every value");
    refuseWideStep(piece, step);
    return { from: field.min, to: field.max, step, isSingle: false };
  }

  const from = readValue(piece, start);
  const to = end === undefined ? undefined : readValue(piece, end);
  if (end !== undefined && /\d/.test(start) !== /\d/.test(end)) {
    throw badPiece(piece, 'mixes a name and a number', 'Write both ends as names or both as numbers');
  }
  if (to !== undefined && to < from && field === CRON_FIELD.year) {
    throw badPiece(piece, 'ends before it starts', 'Ranges of years do not wrap around');
  }
  const unstepped = { from, to: to ?? from, step: 1, isSingle: to === undefined };
  if (stepText === undefined) return unstepped;

  const step = readStep(piece, stepText);
  if (!/\d/.test(start)) {
    const meaning = end === undefined ? start : `${start}-${end}`;
    warn(`${field.label} '${text}': a step after a name is ignored, so this means '${meaning}'`);
    return unstepped;
  }
  if (step === 0) {
    warn(`${field.label} '${text}': a step of 0 leaves only ${from}`);
    return { ...unstepped, to: from };
  }
  if (to === undefined) {
    refuseWideStep(piece, step);
    return { from, to: field.max, step, isSingle: false };
  }
  if (step > field.max) warn(`${field.label} '${text}': the step leaves only ${from}`);
  return { from, to, step, isSingle: false };
}

/** The values of a span, unsorted where it wraps. */
export function valuesOf(field: CronField, { from, to, step }: Span): number[] {
  const size = field.max - field.min + 1;
  const last = to < from ? to + size : to;
  const values: number[] = [];
  for (let value = from; value <= last; value += step) values.push(field.min + ((value - field.min) % size));
  return values;
}

/**
 * A number or an English name. A whole name (`MONDAY`) stands alone only: Quartz reads three letters and drops
 * the rest of the element, so `MONDAY-FRIDAY` would be Mondays there.
 */
export function readValue(piece: Piece, word: string): number {
  const { field, text } = piece;
  if (/^\d+$/.test(word)) {
    const value = Number(word);
    if (field === CRON_FIELD.year) {
      if (word.length === 4) return value;
      throw badPiece(piece, 'is not a year', 'Write years with four digits');
    }
    if (value >= field.min && value <= field.max) return value;
    throw badPiece(piece, `is not within ${field.min} to ${field.max}`, rangeHint(field, word));
  }
  const named = valueOfName(field, word);
  if (named !== undefined && (word.length === 3 || word === text)) return named;
  if (named !== undefined) {
    throw badPiece(piece, 'uses a whole name', `Write the first three letters: ${word.slice(0, 3)}`);
  }
  if (/^\d+C$/i.test(word)) {
    throw badPiece(piece, 'asks for a calendar', 'Calendars (C) are not supported; write the number alone');
  }
  const shortNames = field.names.map((name) => name.slice(0, 3));
  const suggestion = didYouMean(word, [...shortNames, ...field.names]);
  throw badPiece(piece, `is no ${field.label}`, suggestion ?? rangeHint(field, word));
}

export function unreadable(piece: Piece): Error {
  const { field, text } = piece;
  if (text.includes('?')) {
    return badPiece(piece, "uses '?'", "'?' stands alone, as day of month or as day of week");
  }
  if (/\d\.\d/.test(text)) return badPiece(piece, 'is not a whole number', 'Write whole numbers only');
  const forms = ['*', 'a', 'a-b', 'a/s', 'a-b/s', '*/s'];
  if (field === CRON_FIELD.dayOfMonth) forms.push('L', 'L-n', 'LW', 'L-nW', 'nW');
  if (field === CRON_FIELD.dayOfWeek) forms.push('L', 'nL', 'n#m');
  return badPiece(piece, 'cannot be read', `Forms of the ${field.label}: ${forms.join(', ')}`);
}

function readStep(piece: Piece, stepText: string): number {
  if (stepText === '') throw badPiece(piece, "has no step after '/'", "Write a number after '/'");
  if (/^\d+$/.test(stepText)) return Number(stepText);
  throw badPiece(piece, `has the step '${stepText}'`, 'Steps are whole numbers');
}

function refuseWideStep(piece: Piece, step: number): void {
  const { field } = piece;
  if (step <= field.max) return;
  throw badPiece(piece, `has a step above ${field.max}`, `Leave the step out, or write at most ${field.max}`);
}

function rangeHint(field: CronField, word: string): string {
  const said = `${field.label} ${word}`;
  switch (field.name) {
    case 'second':
    case 'minute':
      return `${said}: ${field.label}s go from 0 to 59`;
    case 'hour':
      return `${said}: hours go from 0 (midnight) to 23`;
    case 'dayOfMonth':
      return `${said}: days go from 1 to 31, and the last day is L`;
    case 'month':
      return `${said}: months go from 1 (or JAN) to 12 (or DEC)`;
    case 'dayOfWeek':
      return /^0+$/.test(word)
        ? `${said}: Sunday is 1 (or SUN)`
        : `${said}: days go from 1 (or SUN) to 7 (or SAT)`;
    case 'year':
      return `${said}: write years with four digits`;
  }
}
