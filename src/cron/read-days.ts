import { badPiece, type Piece } from './cron-error.ts';
import { type DayRule, type MonthDay, weekdaysRule } from './day-rule.ts';
import { readSpan, readValue, unreadable, valuesOf, type Warn } from './span.ts';

const SATURDAY = 7;

/**
 * The elements of the day-of-month field: plain ones, `L`, `L-n`, `LW`, `L-nW`, `nW`, and lists of all of them.
 *
 * @throws BadRequestError `SCHED_BAD_CRON`
 */
export function readMonthDays(pieces: readonly Piece[], warn: Warn): DayRule {
  let plain = 0;
  const special: MonthDay[] = [];
  for (const piece of pieces) {
    const monthDay = findMonthDay(piece);
    if (monthDay !== undefined) special.push(monthDay);
    else for (const day of valuesOf(piece.field, readSpan(piece, warn))) plain |= 1 << day;
  }
  return { kind: 'monthDays', plain, special };
}

function findMonthDay(piece: Piece): MonthDay | undefined {
  const last = /^L(?:-(\d+))?(W)?$/i.exec(piece.text);
  if (last !== null) {
    const fromEnd = Number(last[1] ?? 0);
    if (fromEnd > 30) throw badPiece(piece, 'lies before every month', 'Write L-0 to L-30');
    return { fromEnd, nearestWorkday: last[2] !== undefined };
  }
  const [, nearest] = /^(\d+)W$/i.exec(piece.text) ?? [];
  if (nearest !== undefined) return { day: readValue(piece, nearest), nearestWorkday: true };
  if (/[LW]/i.test(piece.text)) throw unreadable(piece);
  return undefined;
}

/**
 * The elements of the day-of-week field: plain ones and `L` (Saturday) in lists, or a single `nL` or `n#m`.
 *
 * @throws BadRequestError `SCHED_BAD_CRON`
 */
export function readWeekdays(pieces: readonly Piece[], warn: Warn): DayRule {
  const weekdays: number[] = [];
  for (const piece of pieces) {
    const rule = findWeekdayRule(piece, warn);
    if (rule === undefined) weekdays.push(...valuesOf(piece.field, readSpan(piece, warn)));
    else if (pieces.length === 1) return rule;
    else throw badPiece(piece, 'stands in a list', 'L, nL and n#m stand alone; make one schedule of each');
  }
  return weekdaysRule(weekdays);
}

function findWeekdayRule(piece: Piece, warn: Warn): DayRule | undefined {
  const { field, text } = piece;
  if (/^L(?:-\d+)?$/i.test(text)) {
    if (text.length > 1) warn(`${field.label} '${text}': what follows L is ignored, so this means Saturday`);
    return weekdaysRule([SATURDAY]);
  }
  const [, last] = /^(\w+)L$/i.exec(text) ?? [];
  if (last !== undefined) return { kind: 'lastWeekday', weekday: readValue(piece, last) };
  const [, day, nth = ''] = /^(\w+)#(\w*)$/.exec(text) ?? [];
  if (day !== undefined) {
    const weekday = readValue(piece, day);
    if (/^0*[1-5]$/.test(nth)) return { kind: 'nthWeekday', weekday, nth: Number(nth) };
    throw badPiece(piece, 'does not say which week', "Write a number from 1 to 5 after '#'");
  }
  return undefined;
}
