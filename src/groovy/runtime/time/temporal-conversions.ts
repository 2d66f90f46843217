import { int } from '../arguments.ts';
import { defineMethods } from '../method-table.ts';
import { badArgument } from '../throwable.ts';
import { Calendar } from './calendar.ts';
import { DateTimeFormatter } from './date-time-formatter.ts';
import { JavaDate } from './java-date.ts';
import { momentIn, Temporal, type TemporalKind, timeOf, zonedAt } from './temporal.ts';
import { temporal } from './temporal-methods.ts';
import { zone } from './time-arguments.ts';
import { defaultZone, type Zone } from './zone.ts';
import { offsetZone } from './zone-methods.ts';

/** Less than a millisecond. */
function extra({ nanos }: Temporal): number {
  return nanos % 1_000_000;
}

/** The date, the clock or both without offset. */
export function localPart(value: Temporal, kind: 'LocalDate' | 'LocalTime' | 'LocalDateTime'): Temporal {
  return new Temporal(kind, kind === 'LocalTime' ? 0 : value.day, kind === 'LocalDate' ? 0 : value.nanos);
}

/** What a clock in the zone shows at an instant. */
export function inZone(
  value: Temporal,
  to: Zone,
  kind: 'ZonedDateTime' | 'OffsetDateTime' = 'ZonedDateTime',
): Temporal {
  const ms = value.epochMs;
  return momentIn(kind, ms, extra(value), to.offsetAt(ms), to);
}

/** A wall clock without offset, put into a zone. */
function placed(value: Temporal, to: Zone): Temporal {
  return zonedAt(value.wall, extra(value), to);
}

function withOffset(value: Temporal, to: Zone): Temporal {
  return new Temporal('OffsetDateTime', value.day, value.nanos, to.offsetAt(0), to);
}

function instant(value: Temporal): Temporal {
  return momentIn('Instant', value.epochMs, extra(value));
}

function date(ms: number): JavaDate {
  return new JavaDate(ms);
}

const MOMENT = {
  'toInstant/0': instant,
  'toEpochSecond/0': (self: Temporal) => BigInt(Math.floor(self.epochMs / 1000)),
  'toDate/0': (self: Temporal) => date(self.epochMs),
  'toLocalDate/0': (self: Temporal) => localPart(self, 'LocalDate'),
  'toLocalTime/0': (self: Temporal) => localPart(self, 'LocalTime'),
  'toLocalDateTime/0': (self: Temporal) => localPart(self, 'LocalDateTime'),
  'getOffset/0': (self: Temporal) => offsetZone(self.offset),
};

defineMethods('java.time.LocalDate', 'java.lang.Object', {
  'atStartOfDay/0-1': (self: Temporal, to?: unknown) =>
    to === undefined ? new Temporal('LocalDateTime', self.day, 0) : placed(self, zone(to)),
  'atTime/1-4': (self: Temporal, first: unknown, ...rest: unknown[]) => {
    const nanos = first instanceof Temporal ? first.nanos : timeOf(int(first), ...rest.map(int));
    return new Temporal('LocalDateTime', self.day, nanos);
  },
  'leftShift/1': (self: Temporal, time: unknown) =>
    new Temporal('LocalDateTime', self.day, temporal(time, 'LocalTime').nanos),
  'toDate/0': (self: Temporal) => date(defaultZone().instantOf(self.wall)),
  'toCalendar/0': (self: Temporal) => new Calendar(defaultZone().instantOf(self.wall), defaultZone()),
});
defineMethods('java.time.LocalTime', 'java.lang.Object', {
  'atDate/1': (self: Temporal, day: unknown) =>
    new Temporal('LocalDateTime', temporal(day, 'LocalDate').day, self.nanos),
  'leftShift/1': (self: Temporal, day: unknown) =>
    new Temporal('LocalDateTime', temporal(day, 'LocalDate').day, self.nanos),
});
defineMethods('java.time.LocalDateTime', 'java.lang.Object', {
  'toLocalDate/0': (self: Temporal) => localPart(self, 'LocalDate'),
  'toLocalTime/0': (self: Temporal) => localPart(self, 'LocalTime'),
  'atZone/1': (self: Temporal, to: unknown) => placed(self, zone(to)),
  'atOffset/1': (self: Temporal, to: unknown) => withOffset(self, zone(to)),
  'leftShift/1': (self: Temporal, to: unknown) => {
    const target = zone(to);
    return target.type.name === 'java.time.ZoneOffset' ? withOffset(self, target) : placed(self, target);
  },
  'toInstant/1': (self: Temporal, to: unknown) => instant(withOffset(self, zone(to))),
  'toEpochSecond/1': (self: Temporal, to: unknown) =>
    BigInt(Math.floor(withOffset(self, zone(to)).epochMs / 1000)),
  'toDate/0': (self: Temporal) => date(defaultZone().instantOf(self.wall)),
  'clearTime/0': (self: Temporal) => self.at(self.day, 0),
  'getDateString/0': (self: Temporal) => localPart(self, 'LocalDate').toText(),
  'getTimeString/0': (self: Temporal) => new DateTimeFormatter('ISO_LOCAL_TIME', true).format(self),
  'getDateTimeString/0': (self: Temporal) => new DateTimeFormatter('ISO_LOCAL_DATE_TIME', true).format(self),
});
defineMethods('java.time.OffsetDateTime', 'java.lang.Object', {
  ...MOMENT,
  'atZoneSameInstant/1': (self: Temporal, to: unknown) => inZone(self, zone(to)),
  'atZoneSimilarLocal/1': (self: Temporal, to: unknown) => placed(self, zone(to)),
  'withOffsetSameInstant/1': (self: Temporal, to: unknown) => inZone(self, zone(to), 'OffsetDateTime'),
  'withOffsetSameLocal/1': (self: Temporal, to: unknown) => withOffset(self, zone(to)),
  'toZonedDateTime/0': (self: Temporal) => inZone(self, offsetZone(self.offset)),
});
defineMethods('java.time.ZonedDateTime', 'java.lang.Object', {
  ...MOMENT,
  'getZone/0': (self: Temporal) => self.zone,
  'withZoneSameInstant/1': (self: Temporal, to: unknown) => inZone(self, zone(to)),
  'withZoneSameLocal/1': (self: Temporal, to: unknown) => placed(self, zone(to)),
  'withFixedOffsetZone/0': (self: Temporal) => inZone(self, offsetZone(self.offset)),
  'toOffsetDateTime/0': (self: Temporal) => withOffset(self, offsetZone(self.offset)),
});
defineMethods('java.time.Instant', 'java.lang.Object', {
  'atZone/1': (self: Temporal, to: unknown) => inZone(self, zone(to)),
  'atOffset/1': (self: Temporal, to: unknown) => inZone(self, zone(to), 'OffsetDateTime'),
  'toDate/0': (self: Temporal) => date(self.epochMs),
});

/** The other way: what a Date or a Calendar shows in its zone. */
function fromMs(ms: number, to: Zone, kind: TemporalKind): Temporal {
  const moment = momentIn('ZonedDateTime', ms, 0, to.offsetAt(ms), to);
  switch (kind) {
    case 'LocalDate':
    case 'LocalTime':
    case 'LocalDateTime':
      return localPart(moment, kind);
    case 'OffsetDateTime':
      return withOffset(moment, offsetZone(moment.offset));
    case 'Instant':
      return momentIn('Instant', ms, 0);
    default:
      return moment;
  }
}

const CONVERSIONS = [
  'LocalDate',
  'LocalTime',
  'LocalDateTime',
  'OffsetDateTime',
  'ZonedDateTime',
  'Instant',
] as const;

function regional(to: Zone): Zone {
  return to.as('java.time.ZoneRegion');
}

for (const kind of CONVERSIONS) {
  defineMethods('java.util.Date', 'java.lang.Object', {
    [`to${kind}/0`]: (self: JavaDate) => fromMs(self.ms, regional(defaultZone()), kind),
  });
  defineMethods('java.util.Calendar', 'java.lang.Object', {
    [`to${kind}/0`]: (self: Calendar) => fromMs(self.ms, regional(self.zone), kind),
  });
}

/** `LocalDate.from(other)` and its like. */
export function convertTo(value: unknown, kind: TemporalKind): Temporal {
  const given = temporal(value);
  if (given.kind === kind) return given;
  if (kind === 'Instant') return instant(given);
  if (kind === 'LocalDate' || kind === 'LocalTime' || kind === 'LocalDateTime') {
    if (
      given.kind === 'Instant' ||
      (kind !== 'LocalTime' && !given.hasDate) ||
      (kind !== 'LocalDate' && !given.hasTime)
    )
      throw badArgument();
    return localPart(given, kind);
  }
  if (!given.hasOffset) throw badArgument();
  return kind === 'OffsetDateTime'
    ? withOffset(given, offsetZone(given.offset))
    : inZone(given, given.zone ?? offsetZone(given.offset));
}
