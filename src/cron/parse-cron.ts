import { wordsOf } from '#errors/index.ts';
import { badCron, badPiece, type Piece } from './cron-error.ts';
import type { CronExpression } from './cron-expression.ts';
import { CRON_FIELD, type CronField } from './cron-field.ts';
import { readMonthDays, readWeekdays } from './read-days.ts';
import { readSpan, type Span, unreadable, valuesOf, type Warn } from './span.ts';
import { valueSet } from './value-set.ts';
import type { YearTerm } from './year-term.ts';

/** More than the longest expression that says something new; keeps the search cheap. */
const MAX_LENGTH = 2000;

/** What the shortcuts of other crons are in Quartz. */
const SHORTCUTS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 ?',
  '@annually': '0 0 0 1 1 ?',
  '@monthly': '0 0 0 1 * ?',
  '@weekly': '0 0 0 ? * SUN',
  '@daily': '0 0 0 * * ?',
  '@midnight': '0 0 0 * * ?',
  '@hourly': '0 0 * * * ?',
};

/**
 * Reads `second minute hour day-of-month month day-of-week [year]` in the dialect of Quartz 2, without its
 * laxities that hide a mistake (`1.5`, `5C`, empty elements, `0#1`, `0W`). Weekdays are 1 = SUN to 7 = SAT;
 * exactly one of the day fields is `?`; ranges wrap around, except of years.
 *
 * @throws BadRequestError `SCHED_BAD_CRON`
 */
export function parseCron(text: string): CronExpression {
  if (text.length > MAX_LENGTH) {
    throw badCron(`${text.slice(0, 60)}…`, `has ${text.length} characters`, `Use at most ${MAX_LENGTH}`);
  }
  const fields = splitFields(text);
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year] = fields;
  checkQuestionMarks(fields, dayOfMonth, dayOfWeek);

  const warnings: string[] = [];
  const warn: Warn = (warning) => warnings.push(warning);
  const spans = (field: Piece) => elementsOf(field).map((element) => readSpan(element, warn));
  const secondSpans = spans(second);
  const minuteSpans = spans(minute);
  const hourSpans = spans(hour);
  const days =
    dayOfMonth.text === '?'
      ? readWeekdays(elementsOf(dayOfWeek), warn)
      : readMonthDays(elementsOf(dayOfMonth), warn);
  return {
    text,
    seconds: valueSet(secondSpans.flatMap((span) => valuesOf(CRON_FIELD.second, span))),
    minutes: valueSet(minuteSpans.flatMap((span) => valuesOf(CRON_FIELD.minute, span))),
    hours: valueSet(hourSpans.flatMap((span) => valuesOf(CRON_FIELD.hour, span))),
    days,
    months: valueSet(spans(month).flatMap((span) => valuesOf(CRON_FIELD.month, span))),
    years: year === undefined || year.text === '*' ? [] : spans(year).map(toYearTerm),
    isInterval:
      secondSpans.some((span) => repeats(valuesOf(CRON_FIELD.second, span), span)) ||
      minuteSpans.some((span) => repeats(valuesOf(CRON_FIELD.minute, span), span)) ||
      hourSpans.some((span) => span.step === 1 && repeats(valuesOf(CRON_FIELD.hour, span), span)),
    warnings,
  };
}

/** Six fields, and perhaps the year. */
type Fields =
  | readonly [Piece, Piece, Piece, Piece, Piece, Piece]
  | readonly [Piece, Piece, Piece, Piece, Piece, Piece, Piece];

function splitFields(text: string): Fields {
  const words = [...text.matchAll(/[^ \t]+/g)];
  if (words.length === 0) throw badCron(text, 'is empty', "Write six fields, such as '0 0 12 * * ?'");
  const shortcut = SHORTCUTS[text.trim().toLowerCase()];
  if (shortcut !== undefined) throw badCron(text, 'shortcuts are not known', `Write '${shortcut}'`);
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year, ...more] = words;
  const isWhole =
    second !== undefined &&
    minute !== undefined &&
    hour !== undefined &&
    dayOfMonth !== undefined &&
    month !== undefined &&
    dayOfWeek !== undefined;
  if (!isWhole || more.length > 0) {
    const unix = words.length === 5 ? "; a Unix cron line lacks the seconds and the '?'" : '';
    throw badCron(
      text,
      `has ${words.length} ${words.length === 1 ? 'field' : 'fields'}`,
      `Write second minute hour day-of-month month day-of-week [year]${unix}`,
    );
  }
  const piece = (field: CronField, word: RegExpExecArray): Piece => ({
    expression: text,
    field,
    text: word[0],
    position: word.index + 1,
  });
  const six = [
    piece(CRON_FIELD.second, second),
    piece(CRON_FIELD.minute, minute),
    piece(CRON_FIELD.hour, hour),
    piece(CRON_FIELD.dayOfMonth, dayOfMonth),
    piece(CRON_FIELD.month, month),
    piece(CRON_FIELD.dayOfWeek, dayOfWeek),
  ] as const;
  return year === undefined ? six : [...six, piece(CRON_FIELD.year, year)];
}

function elementsOf(field: Piece): Piece[] {
  let position = field.position;
  return field.text.split(',').map((text) => {
    const element = { ...field, text, position };
    position += text.length + 1;
    return element;
  });
}

function checkQuestionMarks(fields: readonly Piece[], dayOfMonth: Piece, dayOfWeek: Piece): void {
  for (const field of fields) {
    const allowed = field.text === '?' && (field === dayOfMonth || field === dayOfWeek);
    if (field.text.includes('?') && !allowed) throw unreadable(field);
  }
  if ((dayOfMonth.text === '?') !== (dayOfWeek.text === '?')) return;
  if (dayOfWeek.text === '?') {
    throw badPiece(
      dayOfWeek,
      "repeats the '?' of day of month",
      `Write '*' for every day: '${withField(fields, dayOfMonth, '*')}'`,
    );
  }
  const spare = dayOfMonth.text === '*' && dayOfWeek.text !== '*' ? dayOfMonth : dayOfWeek;
  const hint = `Write '?' as ${spare.field.label}: '${withField(fields, spare, '?')}'`;
  const both = dayOfMonth.text !== '*' && dayOfWeek.text !== '*';
  throw badPiece(
    dayOfWeek,
    `and day of month '${dayOfMonth.text}' are both given`,
    both ? "Exactly one of day of month and day of week must be '?'; make one schedule of each" : hint,
  );
}

function withField(fields: readonly Piece[], replaced: Piece, text: string): string {
  return fields.map((field) => (field === replaced ? text : field.text)).join(' ');
}

function repeats(values: readonly number[], span: Span): boolean {
  return !span.isSingle && values.length > 1;
}

function toYearTerm({ from, to, step }: Span): YearTerm {
  return { from, to, step };
}

/** Why a text is no cron expression; undefined when it is one. */
export function cronMistake(text: string): string | undefined {
  try {
    parseCron(text);
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}
