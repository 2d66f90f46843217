import { exception, type Throwable } from '../throwable.ts';
import { dayOfYear, monthName, weekdayName, weekOf } from './date-fields.ts';
import { DATE_TIME_LETTERS, splitPattern } from './date-pattern.ts';
import { dateText, dateTimeError, momentIn, offsetId, type Temporal, timeText } from './temporal.ts';
import { DAY, offsetText } from './zone.ts';

export function formatIso(value: Temporal, name: string): string {
  switch (name) {
    case 'BASIC_ISO_DATE':
      return dateText(value.day).replaceAll('-', '');
    case 'RFC_1123_DATE_TIME': {
      const offset = value.offset === 0 ? 'GMT' : offsetText(value.offset, false);
      return `${formatPattern(value, 'EEE, d MMM yyyy HH:mm:ss')} ${offset}`;
    }
    case 'ISO_DATE':
      return dateText(value.day) + (value.hasOffset ? offsetId(value.offset) : '');
    case 'ISO_LOCAL_DATE':
      return dateText(value.day);
    case 'ISO_TIME':
      return isoTime(value) + (value.hasOffset ? offsetId(value.offset) : '');
    case 'ISO_LOCAL_TIME':
      return isoTime(value);
    case 'ISO_LOCAL_DATE_TIME':
      return `${dateText(value.day)}T${isoTime(value)}`;
    case 'ISO_INSTANT':
      return momentIn('Instant', value.epochMs, value.nanos % 1_000_000).toText();
    case 'ISO_OFFSET_DATE_TIME':
      return `${dateText(value.day)}T${isoTime(value)}${offsetId(value.offset)}`;
    default: {
      const zone =
        value.kind === 'ZonedDateTime' && value.zone !== undefined && value.zone.id !== offsetId(value.offset)
          ? `[${value.zone.id}]`
          : '';
      return `${dateText(value.day)}T${isoTime(value)}${value.hasOffset ? offsetId(value.offset) : ''}${zone}`;
    }
  }
}

/** The time in ISO form, with as many digits of the second as it has. */
function isoTime({ nanos }: Temporal): string {
  const fraction = nanos % 1_000_000_000;
  const digits = String(fraction).padStart(9, '0').replace(/0+$/, '');
  return timeText(nanos - fraction, true) + (fraction === 0 ? '' : `.${digits}`);
}

/** Formats a date or time by a pattern of letters. */
export function formatPattern(value: Temporal, pattern: string): string {
  return splitPattern(pattern.replace(/[[\]]/g, ''), DATE_TIME_LETTERS)
    .map(({ letter, width, text }) => (letter === '' ? text : formatLetter(value, letter, width)))
    .join('');
}

function formatLetter(value: Temporal, letter: string, width: number): string {
  const pad = (number: number) => String(number).padStart(width, '0');
  if ('GuyMLdDEeQqw'.includes(letter) && !value.hasDate) throw unsupportedField(letter);
  if ('aHhKkmsSnA'.includes(letter) && !value.hasTime) throw unsupportedField(letter);
  const { year, month, day, weekday } = value.fields;
  const seconds = Math.floor(value.nanos / 1_000_000_000);
  const hour = Math.floor(seconds / 3600);
  switch (letter) {
    case 'G':
      return 'AD';
    case 'u':
    case 'y':
      return width === 2 ? String(year % 100).padStart(2, '0') : pad(year);
    case 'M':
    case 'L':
      if (width < 3) return pad(month + 1);
      return monthName(month, width === 3);
    case 'd':
      return pad(day);
    case 'D':
      return pad(dayOfYear(value.day * DAY));
    case 'E':
      return weekdayName(weekday, width <= 3);
    case 'e':
      return pad(weekday);
    case 'w':
      return pad(weekOf(value.day * DAY, 1, 1).week);
    case 'Q':
    case 'q': {
      const quarter = Math.floor(month / 3) + 1;
      if (width < 3) return pad(quarter);
      return width === 3 ? `Q${quarter}` : `${quarter}${['st', 'nd', 'rd', 'th'][quarter - 1]} quarter`;
    }
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    case 'H':
      return pad(hour);
    case 'k':
      return pad(hour === 0 ? 24 : hour);
    case 'K':
      return pad(hour % 12);
    case 'h':
      return pad(hour % 12 === 0 ? 12 : hour % 12);
    case 'm':
      return pad(Math.floor(seconds / 60) % 60);
    case 's':
      return pad(seconds % 60);
    case 'S':
      return String(value.nanos % 1_000_000_000)
        .padStart(9, '0')
        .slice(0, width);
    case 'n':
      return pad(value.nanos % 1_000_000_000);
    case 'A':
      return pad(Math.floor(value.nanos / 1_000_000));
    default:
      return formatOffset(value, letter, width);
  }
}

function formatOffset(value: Temporal, letter: string, width: number): string {
  if (!value.hasOffset) throw dateTimeError(`Unable to extract ZoneId from temporal ${value.toText()}`);
  switch (letter) {
    case 'V':
    case 'z':
      return value.zone?.id ?? offsetId(value.offset);
    case 'Z':
      return width === 5 ? offsetId(value.offset) : offsetText(value.offset, false);
    default:
      if (letter === 'X' && value.offset === 0) return 'Z';
      if (width === 1) return offsetText(value.offset, false).replace(/00$/, '');
      return offsetText(value.offset, width === 3 || width === 5);
  }
}

function unsupportedField(letter: string): Throwable {
  const names: Readonly<Record<string, string>> = {
    H: 'HourOfDay',
    h: 'ClockHourOfAmPm',
    m: 'MinuteOfHour',
    s: 'SecondOfMinute',
    y: 'YearOfEra',
    M: 'MonthOfYear',
    d: 'DayOfMonth',
  };
  return exception(
    'java.time.temporal.UnsupportedTemporalTypeException',
    `Unsupported field: ${names[letter] ?? letter}`,
  );
}
