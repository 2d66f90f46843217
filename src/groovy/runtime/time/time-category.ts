import { capitalize } from '../capitalize.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { libraryCategories } from '../meta/categories.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { int } from '../arguments.ts';
import type { ScriptMethod } from '../script-class.ts';
import { badArgument } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { Calendar } from './calendar.ts';
import { JavaDate } from './java-date.ts';
import { defaultZone } from './zone.ts';

/** Years, months, days, hours, minutes, seconds, milliseconds. */
type Parts = readonly [number, number, number, number, number, number, number];

function partsOf(numbers: readonly number[]): Parts {
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, millis = 0] = numbers;
  return [years, months, days, hours, minutes, seconds, millis];
}

const NAMES = ['years', 'months', 'days', 'hours', 'minutes'] as const;
/** The fields of a calendar, in the order of the parts. */
const CALENDAR_FIELDS = [1, 2, 6, 11, 12, 13, 14];
const CLASSES = ['Duration', 'TimeDuration', 'DatumDependentDuration', 'TimeDatumDependentDuration'] as const;
type Kind = (typeof CLASSES)[number];

class Duration extends JavaObject {
  readonly type: JavaClass;
  readonly parts: Parts;

  constructor(kind: Kind, parts: Parts) {
    super();
    this.type = classNamed(`groovy.time.${kind}`);
    this.parts = parts;
  }

  /** Months have no length of their own: they are counted from now. */
  get ms(): number {
    const [years, months, days, hours, minutes, seconds, millis] = this.parts;
    if (years !== 0 || months !== 0) {
      const now = Date.now();
      return this.from(now) - now;
    }
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + millis;
  }

  get isOfTime(): boolean {
    return this.type.simpleName.startsWith('Time');
  }

  get isOfDatum(): boolean {
    return this.type.simpleName.includes('Datum');
  }

  from(ms: number, sign = 1): number {
    const calendar = new Calendar(ms, defaultZone());
    for (const [at, field] of CALENDAR_FIELDS.entries())
      if (this.parts[at] !== undefined && this.parts[at] !== 0) calendar.add(field, sign * this.parts[at]);
    return calendar.ms;
  }

  /** The moment that is so far from now; without a time of its own at the beginning of the day. */
  fromNow(sign: number): JavaDate {
    const ms = this.from(Date.now(), sign);
    return new JavaDate(this.isOfTime ? ms : midnight(ms));
  }

  override key(): unknown {
    return this.ms;
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof Duration ? Math.sign(this.ms - other.ms) : undefined;
  }

  override toText(): string {
    const texts = NAMES.flatMap((name, at) => (this.parts[at] === 0 ? [] : [`${this.parts[at]} ${name}`]));
    const millis = this.parts[6] % 1000;
    const seconds = this.parts[5] + (this.parts[6] - millis) / 1000;
    if (seconds !== 0 || millis !== 0) {
      const whole = seconds === 0 ? (millis < 0 ? '-0' : '0') : seconds;
      texts.push(`${whole}.${String(Math.abs(millis)).padStart(3, '0')} seconds`);
    }
    return texts.length === 0 ? '0' : texts.join(', ');
  }
}

function midnight(ms: number): number {
  const calendar = new Calendar(ms, defaultZone());
  for (const field of [11, 12, 13, 14]) calendar.set(field, 0);
  return calendar.ms;
}

function kindOf(hasTime: boolean, hasDatum: boolean): Kind {
  if (hasDatum) return hasTime ? 'TimeDatumDependentDuration' : 'DatumDependentDuration';
  return hasTime ? 'TimeDuration' : 'Duration';
}

function added(self: Duration, other: unknown, sign: number): unknown {
  if (other instanceof JavaDate && sign > 0) return new JavaDate(self.from(other.ms));
  if (!(other instanceof Duration)) throw badArgument();
  const parts = partsOf(self.parts.map((part, at) => part + sign * (other.parts[at] ?? 0)));
  return new Duration(kindOf(self.isOfTime || other.isOfTime, self.isOfDatum || other.isOfDatum), parts);
}

/** The span between two dates in days and parts of days. */
function between(later: JavaDate, earlier: JavaDate): Duration {
  let rest = later.ms - earlier.ms;
  const units = [86_400_000, 3_600_000, 60_000, 1000].map((unit) => {
    const count = Math.trunc(rest / unit);
    rest -= count * unit;
    return count;
  });
  return new Duration('TimeDuration', partsOf([0, 0, ...units, rest]));
}

function minus(first: unknown, second: unknown): unknown {
  if (!(first instanceof JavaDate)) throw badArgument();
  if (second instanceof JavaDate) return between(first, second);
  if (!(second instanceof Duration)) throw badArgument();
  return new JavaDate(second.from(first.ms, -1));
}

function plus(first: unknown, second: unknown): unknown {
  if (!(first instanceof JavaDate) || !(second instanceof Duration)) throw badArgument();
  return new JavaDate(second.from(first.ms));
}

class From extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.time.BaseDuration$From');
  readonly duration: Duration;

  constructor(duration: Duration) {
    super();
    this.duration = duration;
  }
}

for (const [name, first] of [
  ['Duration', 2],
  ['TimeDuration', 2],
  ['DatumDependentDuration', 0],
  ['TimeDatumDependentDuration', 0],
] as const) {
  const least = name === 'TimeDuration' ? 4 : 7 - first;
  defineStatics(`groovy.time.${name}`, {
    [`new/${least}-${7 - first}`]: (...given: unknown[]) =>
      new Duration(name, partsOf([...Array(7 - given.length).fill(0), ...given.map(int)])),
  });
}

const getters = NAMES.map((name, at) => [`get${capitalize(name)}/0`, at] as const);
defineMethods('groovy.time.BaseDuration', 'java.lang.Object', {
  ...Object.fromEntries(
    [...getters, ['getSeconds/0', 5] as const, ['getMillis/0', 6] as const].map(([name, at]) => [
      name,
      (self: Duration) => self.parts[at],
    ]),
  ),
  'toMilliseconds/0': (self: Duration) => BigInt(self.ms),
  'plus/1': (self: Duration, other: unknown) => added(self, other, 1),
  'minus/1': (self: Duration, other: unknown) => added(self, other, -1),
  'getAgo/0': (self: Duration) => self.fromNow(-1),
  'getFrom/0': (self: Duration) => new From(self),
  'toString/0': (self: Duration) => self.toText(),
  'compareTo/1': (self: Duration, other: unknown) => self.compareTo(other) ?? 0,
});
defineMethods('groovy.time.Duration', 'groovy.time.BaseDuration', {});
defineMethods('groovy.time.TimeDuration', 'groovy.time.Duration', {});
defineMethods('groovy.time.DatumDependentDuration', 'groovy.time.BaseDuration', {});
defineMethods('groovy.time.TimeDatumDependentDuration', 'groovy.time.DatumDependentDuration', {});
defineMethods('groovy.time.BaseDuration$From', 'java.lang.Object', {
  'getNow/0': (self: From) => self.duration.fromNow(1),
  'getToday/0': (self: From) => new JavaDate(midnight(self.duration.fromNow(1).ms)),
});

const UNITS: readonly (readonly [name: string, part: number, factor: number])[] = [
  ['Year', 0, 1],
  ['Month', 1, 1],
  ['Week', 2, 7],
  ['Day', 2, 1],
  ['Hour', 3, 1],
  ['Minute', 4, 1],
  ['Second', 5, 1],
  ['Millisecond', 6, 1],
];

function unit(count: unknown, part: number, factor: number): Duration {
  const parts = [0, 0, 0, 0, 0, 0, 0];
  parts[part] = int(count) * factor;
  return new Duration(kindOf(part > 2, part < 2), partsOf(parts));
}

const units = UNITS.flatMap(([name, part, factor]) =>
  [name, `${name}s`].map((each) => [`get${each}`, (self: unknown) => unit(self, part, factor)] as const),
);

defineStatics('groovy.time.TimeCategory', {
  'minus/2': minus,
  'plus/2': plus,
  ...Object.fromEntries(units.map(([name, make]) => [`${name}/1`, make])),
});

function method(name: string, run: ScriptMethod['run'] & object, type?: string): ScriptMethod {
  const typed = type === undefined ? undefined : () => [classNamed(type)];
  const count = type === undefined ? 0 : 1;
  return {
    name,
    isStatic: false,
    isPrivate: false,
    run,
    least: count,
    most: count,
    hasRest: false,
    typesOf: typed,
  };
}

libraryCategories.set('groovy.time.TimeCategory', () => {
  const [date, integer] = [classNamed('java.util.Date'), classNamed('java.lang.Integer')];
  return [
    [date, method('plus', plus, 'groovy.time.BaseDuration')],
    [date, method('minus', minus, 'groovy.time.BaseDuration')],
    [date, method('minus', minus, 'java.util.Date')],
    ...units.map(([name, make]) => [integer, method(name, make)] as const),
  ];
});
