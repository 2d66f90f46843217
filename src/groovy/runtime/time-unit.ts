import { builtInEnum } from './built-in-enum.ts';
import { outside } from './dispatch-port.ts';
import { defineMethods } from './method-table.ts';
import './methods/enum-methods.ts';
import { long } from './arguments.ts';
import { enumArgument } from './time/time-arguments.ts';
import type { EnumConstant } from './values.ts';

const CLASS = 'java.util.concurrent.TimeUnit';
const NANOS = {
  NANOSECONDS: 1n,
  MICROSECONDS: 1000n,
  MILLISECONDS: 1_000_000n,
  SECONDS: 1_000_000_000n,
  MINUTES: 60_000_000_000n,
  HOURS: 3_600_000_000_000n,
  DAYS: 86_400_000_000_000n,
};

builtInEnum(CLASS, Object.keys(NANOS));

function nanosOf(unit: string): bigint {
  const known = Object.entries(NANOS).find(([name]) => name === unit);
  if (known === undefined) throw new TypeError(`There is no unit of time '${unit}'`);
  return known[1];
}

function convert(count: unknown, from: string, to: string): bigint {
  return (long(count) * nanosOf(from)) / nanosOf(to);
}

const SHORT = {
  Nanos: 'NANOSECONDS',
  Micros: 'MICROSECONDS',
  Millis: 'MILLISECONDS',
  Seconds: 'SECONDS',
  Minutes: 'MINUTES',
  Hours: 'HOURS',
  Days: 'DAYS',
} as const satisfies Record<string, keyof typeof NANOS>;

const conversions = Object.entries(SHORT).map(([name, unit]) => [
  `to${name}/1`,
  (self: EnumConstant, count: unknown) => convert(count, self.name, unit),
]);

defineMethods(CLASS, 'java.lang.Enum', {
  ...Object.fromEntries(conversions),
  'convert/2': (self: EnumConstant, count: unknown, unit: unknown) =>
    convert(count, enumArgument(unit, CLASS).name, self.name),
  'sleep/1': (self: EnumConstant, count: unknown) => {
    outside.host('groovy.sleep', Number(convert(count, self.name, 'MILLISECONDS')));
    return null;
  },
});
