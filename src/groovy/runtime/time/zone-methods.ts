import { addPlainForm } from '../host-values.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { int } from '../arguments.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { toText } from '../text.ts';
import { exception } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { dateTimeError, offsetId, type Temporal } from './temporal.ts';
import { defaultZone, findZone, parseOffset, Zone } from './zone.ts';

const ZONE_RULES_CLASS = classNamed('java.time.zone.ZoneRules');

const OFFSET = 'java.time.ZoneOffset';
const MOST = 18 * 3_600_000;

/** A fixed offset in milliseconds. @throws DateTimeException beyond 18 hours */
export function offsetZone(offset: number): Zone {
  if (Math.abs(offset) > MOST) throw dateTimeError('Zone offset not in valid range: -18:00 to +18:00');
  return new Zone(offsetId(offset), offset, OFFSET);
}

/** @throws DateTimeException, ZoneRulesException */
export function zoneId(id: string): Zone {
  const zone = findZone(id);
  if (zone === undefined) {
    const isWord = /^[A-Za-z][\w/~.+-]+$/.test(id);
    throw isWord
      ? exception('java.time.zone.ZoneRulesException', `Unknown time-zone ID: ${id}`)
      : dateTimeError(`Invalid ID for region-based ZoneId, invalid format: ${id}`);
  }
  const isOffset = id === 'Z' || /^[+-]/.test(id);
  return isOffset ? offsetZone(zone.offsetAt(0)) : zone.as('java.time.ZoneRegion');
}

class ZoneRules extends JavaObject {
  readonly type: JavaClass = ZONE_RULES_CLASS;
  readonly zone: Zone;

  constructor(zone: Zone) {
    super();
    this.zone = zone;
  }
}

/** The instant that a value of java.time stands for in a zone. */
function momentOf(value: Temporal, zone: Zone): number {
  return value.kind === 'LocalDateTime' ? zone.instantOf(value.wall) : value.epochMs;
}

defineStatics('java.time.ZoneId', {
  'of/1': (id: unknown) => zoneId(toText(id)),
  'systemDefault/0': () => defaultZone().as('java.time.ZoneRegion'),
});
defineMethods('java.time.ZoneId', 'java.lang.Object', {
  'getId/0': (self: Zone) => self.id,
  'getRules/0': (self: Zone) => new ZoneRules(self),
  'normalized/0': (self: Zone) => (self.isFixed ? offsetZone(self.offsetAt(0)) : self),
});
defineStatics(
  OFFSET,
  {
    'of/1': (id: unknown) => {
      const offset = parseOffset(toText(id));
      if (offset === undefined)
        throw dateTimeError(`Invalid ID for ZoneOffset, invalid format: ${toText(id)}`);
      return offsetZone(offset);
    },
    'ofHours/1': (hours: unknown) => offsetZone(int(hours) * 3_600_000),
    'ofHoursMinutes/2': (hours: unknown, minutes: unknown) =>
      offsetZone((int(hours) * 60 + int(minutes)) * 60_000),
    'ofTotalSeconds/1': (seconds: unknown) => offsetZone(int(seconds) * 1000),
  },
  { UTC: offsetZone(0), MIN: offsetZone(-MOST), MAX: offsetZone(MOST) },
);
defineMethods('java.time.ZoneRegion', 'java.time.ZoneId', {});
defineMethods(OFFSET, 'java.time.ZoneId', {
  'getTotalSeconds/0': (self: Zone) => self.offsetAt(0) / 1000,
});
defineMethods('java.time.zone.ZoneRules', 'java.lang.Object', {
  'getOffset/1': ({ zone }: ZoneRules, moment: Temporal) => offsetZone(zone.offsetAt(momentOf(moment, zone))),
  'isFixedOffset/0': ({ zone }: ZoneRules) => zone.isFixed,
  'isDaylightSavings/1': ({ zone }: ZoneRules, moment: Temporal) =>
    zone.offsetAt(momentOf(moment, zone)) !== standardOffset(zone, momentOf(moment, zone)),
  'getStandardOffset/1': ({ zone }: ZoneRules, moment: Temporal) =>
    offsetZone(standardOffset(zone, momentOf(moment, zone))),
});

/** The smaller of winter and summer. */
function standardOffset(zone: Zone, ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  return Math.min(zone.offsetAt(Date.UTC(year, 0, 1)), zone.offsetAt(Date.UTC(year, 6, 1)));
}

addPlainForm(Zone, ({ id }) => id);
