import { toInt } from '../arithmetic.ts';
import { defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { illegalArgument } from '../throwable.ts';
import { SimpleDateFormat } from './simple-date-format.ts';

const STYLES = { FULL: 0, LONG: 1, MEDIUM: 2, SHORT: 3, DEFAULT: 2 } as const;

/** How dates and times are written in the United States, in the order of the styles. */
const DATES = ['EEEE, MMMM d, y', 'MMMM d, y', 'MMM d, y', 'M/d/yy'];
const TIMES = ['h:mm:ss a zzzz', 'h:mm:ss a z', 'h:mm:ss a', 'h:mm a'];

function style(value: unknown): number {
  const number = toInt(numeric(value));
  if (DATES[number] === undefined) throw illegalArgument(`Illegal date style ${number}`);
  return number;
}

function dateTime(date: number, time: number): SimpleDateFormat {
  return new SimpleDateFormat(
    `${DATES[date]}${Math.max(date, time) <= STYLES.LONG ? " 'at' " : ', '}${TIMES[time]}`,
  );
}

defineStatics(
  'java.text.DateFormat',
  {
    'getInstance/0': () => dateTime(STYLES.SHORT, STYLES.SHORT),
    'getDateInstance/0-2': (date: unknown = STYLES.DEFAULT) => new SimpleDateFormat(DATES[style(date)]!),
    'getTimeInstance/0-2': (time: unknown = STYLES.DEFAULT) => new SimpleDateFormat(TIMES[style(time)]!),
    'getDateTimeInstance/0-3': (date: unknown = STYLES.DEFAULT, time: unknown = STYLES.DEFAULT) =>
      dateTime(style(date), style(time)),
  },
  STYLES,
);
