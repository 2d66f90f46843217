import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { JavaObject } from '../values.ts';
import { clocks } from './clock-port.ts';
import { momentIn } from './temporal.ts';
import { temporal } from './temporal-methods.ts';
import { zone } from './time-arguments.ts';
import { defaultZone, UTC, type Zone } from './zone.ts';

/** A source of the present, in a zone. */
class Clock extends JavaObject {
  readonly type: JavaClass = classNamed('java.time.Clock');
  readonly now: () => number;
  readonly zone: Zone;

  constructor(now: () => number, zone: Zone) {
    super();
    this.now = now;
    this.zone = zone;
  }
}

clocks.read = (value) => (value instanceof Clock ? { ms: value.now(), zone: value.zone } : undefined);

defineStatics('java.time.Clock', {
  'systemUTC/0': () => new Clock(Date.now, UTC.as('java.time.ZoneOffset')),
  'systemDefaultZone/0': () => new Clock(Date.now, defaultZone().as('java.time.ZoneRegion')),
  'system/1': (of: unknown) => new Clock(Date.now, zone(of)),
  'fixed/2': (moment: unknown, of: unknown) => {
    const ms = temporal(moment).epochMs;
    return new Clock(() => ms, zone(of));
  },
});
defineMethods('java.time.Clock', 'java.lang.Object', {
  'millis/0': (self: Clock) => BigInt(self.now()),
  'instant/0': (self: Clock) => momentIn('Instant', self.now(), 0),
  'getZone/0': (self: Clock) => self.zone,
  'withZone/1': (self: Clock, of: unknown) => new Clock(self.now, zone(of)),
});
