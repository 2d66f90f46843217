import fc from 'fast-check';

/**
 * A second opinion on cron expressions, slow and simple: each element is a text with a predicate, and what
 * matches is found by trying. It shares nothing with the engine.
 */
export interface NaiveCron {
  readonly text: string;
  readonly isInterval: boolean;
  matchesDay(day: NaiveDay): boolean;
  matchesTime(hour: number, minute: number, second: number): boolean;
}

export interface NaiveDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

interface Element<T> {
  readonly text: string;
  matches(value: T): boolean;
  /** The steps of its `*`, ranges and steps that stand for several values. */
  readonly repeatSteps?: readonly number[];
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Quartz numbers: 1 for Sunday to 7 for Saturday. */
function weekday({ year, month, day }: NaiveDay): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
}

function monthLength({ year, month }: NaiveDay): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isWorkday(day: NaiveDay): boolean {
  return weekday(day) >= 2 && weekday(day) <= 6;
}

/** The workday of the month with the smallest distance to the target; ties do not happen. */
function nearestWorkday(target: NaiveDay): number {
  let best = 0;
  for (let day = 1; day <= monthLength(target); day++) {
    const closer = best === 0 || Math.abs(day - target.day) < Math.abs(best - target.day);
    if (isWorkday({ ...target, day }) && closer) best = day;
  }
  return best;
}

function number(min: number, max: number, names?: readonly string[]): fc.Arbitrary<Element<number>> {
  const size = max - min + 1;
  const value = fc.integer({ min, max });
  const write = (v: number, named: boolean) => (named ? names![v - min]! : String(v));
  const named = names === undefined ? fc.constant(false) : fc.boolean();
  const step = fc.integer({ min: 1, max });
  /** Walks from `from` around the end of the field to `to`, counting. */
  const inRange = (from: number, to: number, every: number, sought: number) => {
    for (let steps = 0, v = from; ; steps++, v = v === max ? min : v + 1) {
      if (v === sought) return steps % every === 0;
      if (v === to) return false;
    }
  };
  const steps = (count: number, every: number) => ({ repeatSteps: count > 1 ? [every] : [] });
  const length = (from: number, to: number) => ((to - from + size) % size) + 1;
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(value, named)
        .map(([a, n]) => ({ text: write(a, n), matches: (v: number) => v === a })),
    },
    { weight: 2, arbitrary: fc.constant({ text: '*', matches: () => true, ...steps(size, 1) }) },
    {
      weight: 2,
      arbitrary: fc.tuple(value, value, named).map(([a, b, n]) => ({
        text: `${write(a, n)}-${write(b, n)}`,
        matches: (v: number) => inRange(a, b, 1, v),
        ...steps(length(a, b), 1),
      })),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(value, step).map(([a, s]) => ({
        text: `${a}/${s}`,
        matches: (v: number) => v >= a && (v - a) % s === 0,
        ...steps(Math.floor((max - a) / s) + 1, s),
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(value, value, step).map(([a, b, s]) => ({
        text: `${a}-${b}/${s}`,
        matches: (v: number) => inRange(a, b, s, v),
        ...steps(Math.ceil(length(a, b) / s), s),
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom('*', ''), step).map(([star, s]) => ({
        text: `${star}/${s}`,
        matches: (v: number) => (v - min) % s === 0,
        ...steps(Math.ceil(size / s), s),
      })),
    },
  );
}

function list<T>(element: fc.Arbitrary<Element<T>>): fc.Arbitrary<Element<T>> {
  return fc.oneof(
    { weight: 4, arbitrary: element },
    {
      weight: 1,
      arbitrary: fc.array(element, { minLength: 2, maxLength: 4 }).map((elements) => ({
        text: elements.map(({ text }) => text).join(','),
        matches: (value: T) => elements.some((one) => one.matches(value)),
        repeatSteps: elements.flatMap(({ repeatSteps = [] }) => repeatSteps),
      })),
    },
  );
}

const specialMonthDay: fc.Arbitrary<Element<NaiveDay>> = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: 30 }), fc.boolean()).map(([n, workday]) => ({
    text: `L${n === 0 ? '' : `-${n}`}${workday ? 'W' : ''}`,
    matches: (day: NaiveDay) => {
      const target = monthLength(day) - n;
      return target >= 1 && day.day === (workday ? nearestWorkday({ ...day, day: target }) : target);
    },
  })),
  fc.integer({ min: 1, max: 31 }).map((n) => ({
    text: `${n}W`,
    matches: (day: NaiveDay) => n <= monthLength(day) && day.day === nearestWorkday({ ...day, day: n }),
  })),
);

const plainMonthDay = number(1, 31).map(({ text, matches }) => ({
  text,
  matches: (day: NaiveDay) => matches(day.day),
}));

const specialWeekday: fc.Arbitrary<Element<NaiveDay>> = fc
  .tuple(fc.integer({ min: 1, max: 7 }), fc.boolean(), fc.integer({ min: 0, max: 5 }))
  .map(([which, named, nth]) => {
    const name = named ? WEEKDAYS[which - 1]! : String(which);
    return {
      text: nth === 0 ? `${name}L` : `${name}#${nth}`,
      matches: (day: NaiveDay) =>
        weekday(day) === which &&
        (nth === 0 ? day.day + 7 > monthLength(day) : Math.ceil(day.day / 7) === nth),
    };
  });

const plainWeekday = number(1, 7, WEEKDAYS).map(({ text, matches }) => ({
  text,
  matches: (day: NaiveDay) => matches(weekday(day)),
}));

const saturday: fc.Arbitrary<Element<NaiveDay>> = fc.constant({
  text: 'L',
  matches: (day: NaiveDay) => weekday(day) === 7,
});

/** The two day fields, one of them `?`. */
const dayFields: fc.Arbitrary<{ monthDay: string; weekday: string; matches: (day: NaiveDay) => boolean }> =
  fc.oneof(
    list(fc.oneof({ weight: 2, arbitrary: plainMonthDay }, { weight: 1, arbitrary: specialMonthDay })).map(
      ({ text, matches }) => ({ monthDay: text, weekday: '?', matches }),
    ),
    fc
      .oneof({ weight: 4, arbitrary: list(plainWeekday) }, { weight: 2, arbitrary: specialWeekday }, saturday)
      .map(({ text, matches }) => ({ monthDay: '?', weekday: text, matches })),
  );

const everyYear: Element<number> = { text: '', matches: () => true };
const yearField: fc.Arbitrary<Element<number>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(everyYear) },
  { weight: 1, arbitrary: fc.constant({ text: '*', matches: () => true }) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 2025, max: 2029 })
      .map((a) => ({ text: String(a), matches: (v: number) => v === a })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 2020, max: 2027 }), fc.integer({ min: 1, max: 4 }))
      .map(([a, s]) => ({
        text: `${a}/${s}`,
        matches: (v: number) => v >= a && (v - a) % s === 0,
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 2020, max: 2027 }), fc.integer({ min: 0, max: 5 }))
      .map(([a, more]) => ({
        text: `${a}-${a + more}`,
        matches: (v: number) => v >= a && v <= a + more,
      })),
  },
);

const timeFields = fc.record({
  second: list(number(0, 59)),
  minute: list(number(0, 59)),
  hour: list(number(0, 23)),
});

type TimeFields = typeof timeFields extends fc.Arbitrary<infer Fields> ? Fields : never;

function timesOf({ second, minute, hour }: TimeFields): Pick<NaiveCron, 'isInterval' | 'matchesTime'> {
  const { repeatSteps: secondSteps = [] } = second;
  const { repeatSteps: minuteSteps = [] } = minute;
  const { repeatSteps: hourSteps = [] } = hour;
  return {
    isInterval: secondSteps.length > 0 || minuteSteps.length > 0 || hourSteps.includes(1),
    matchesTime: (h, m, s) => hour.matches(h) && minute.matches(m) && second.matches(s),
  };
}

export const naiveCron: fc.Arbitrary<NaiveCron> = fc
  .record({ times: timeFields, days: dayFields, month: list(number(1, 12, MONTHS)), year: yearField })
  .map(({ times, days, month, year }) => ({
    text: `${textOf(times)} ${days.monthDay} ${month.text} ${days.weekday} ${year.text}`.trimEnd(),
    matchesDay: (day) => year.matches(day.year) && month.matches(day.month) && days.matches(day),
    ...timesOf(times),
  }));

/** Expressions that fire every day. */
export const naiveDailyCron: fc.Arbitrary<NaiveCron> = timeFields.map((times) => ({
  text: `${textOf(times)} * * ?`,
  matchesDay: () => true,
  ...timesOf(times),
}));

function textOf({ second, minute, hour }: TimeFields): string {
  return `${second.text} ${minute.text} ${hour.text}`;
}

/** The first matching time after an instant in UTC, by trying days up to `days` ahead; null beyond them. */
export function naiveNext(cron: NaiveCron, afterMs: number, days: number): number | null {
  const firstDay = Math.floor(afterMs / DAY_MS);
  for (let epochDay = firstDay; epochDay < firstDay + days; epochDay++) {
    const date = new Date(epochDay * DAY_MS);
    const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    if (!cron.matchesDay(day)) continue;
    for (let second = 0; second < 86_400; second++) {
      const at = epochDay * DAY_MS + second * 1000;
      if (
        at > afterMs &&
        cron.matchesTime(Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60)
      ) {
        return at;
      }
    }
  }
  return null;
}
