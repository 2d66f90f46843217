import { int } from '../arguments.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineStatics } from '../method-table.ts';
import { EnumConstant, JavaObject } from '../values.ts';
import { weekdayOf } from './chrono-field.ts';
import { daysIn } from './date-fields.ts';
import { dateOf, type Temporal } from './temporal.ts';
import { enumArgument } from './time-arguments.ts';

const TEMPORAL_ADJUSTER_CLASS = classNamed('java.time.temporal.TemporalAdjuster');

/** Moves a date, as `date.with(…)` wants it. */
export class TemporalAdjuster extends JavaObject {
  readonly type: JavaClass = TEMPORAL_ADJUSTER_CLASS;
  readonly apply: (self: Temporal) => Temporal;

  constructor(apply: (self: Temporal) => Temporal) {
    super();
    this.apply = apply;
  }
}

/** An adjuster that finds a day by the year, the month from 1 and the day of the month of the date. */
function toDate(find: (year: number, month: number, day: number) => number): () => TemporalAdjuster {
  return () =>
    new TemporalAdjuster((self) => {
      const { year, month, day } = self.fields;
      return self.at(find(year, month + 1, day), self.nanos);
    });
}

function weekday(value: unknown): number {
  return enumArgument(value, 'java.time.DayOfWeek').ordinal + 1;
}

/** An adjuster to a day of the week. */
function toWeekday(direction: 1 | -1, countsToday: boolean) {
  return (value: unknown) => {
    const wanted = weekday(value);
    return new TemporalAdjuster((self) => {
      const away = (((wanted - weekdayOf(self.day)) * direction) % 7) + 7;
      const days = away % 7 === 0 && !countsToday ? 7 : away % 7;
      return self.at(self.day + days * direction, self.nanos);
    });
  };
}

function inMonth(position: number, value: unknown): TemporalAdjuster {
  const wanted = weekday(value);
  return new TemporalAdjuster((self) => {
    const { year, month } = self.fields;
    const isFromEnd = position < 0;
    const edge = isFromEnd ? dateOf(year, month + 1, daysIn(year, month)) : dateOf(year, month + 1, 1);
    const direction = isFromEnd ? -1 : 1;
    const away = ((wanted - weekdayOf(edge)) * direction + 14) % 7;
    return self.at(edge + direction * (away + (Math.abs(position) - 1) * 7), self.nanos);
  });
}

defineStatics('java.time.temporal.TemporalAdjusters', {
  'firstDayOfMonth/0': toDate((year, month) => dateOf(year, month, 1)),
  'lastDayOfMonth/0': toDate((year, month) => dateOf(year, month, daysIn(year, month - 1))),
  'firstDayOfNextMonth/0': toDate((year, month) =>
    month === 12 ? dateOf(year + 1, 1, 1) : dateOf(year, month + 1, 1),
  ),
  'firstDayOfYear/0': toDate((year) => dateOf(year, 1, 1)),
  'lastDayOfYear/0': toDate((year) => dateOf(year, 12, 31)),
  'firstDayOfNextYear/0': toDate((year) => dateOf(year + 1, 1, 1)),
  'next/1': toWeekday(1, false),
  'nextOrSame/1': toWeekday(1, true),
  'previous/1': toWeekday(-1, false),
  'previousOrSame/1': toWeekday(-1, true),
  'firstInMonth/1': (day: unknown) => inMonth(1, day),
  'lastInMonth/1': (day: unknown) => inMonth(-1, day),
  'dayOfWeekInMonth/2': (position: unknown, day: unknown) => inMonth(int(position), day),
});

/** DayOfWeek and Month are adjusters too. */
export function isAdjustingEnum(value: unknown): value is EnumConstant {
  return value instanceof EnumConstant && /^java\.time\.(?:DayOfWeek|Month)$/.test(value.type.name);
}
