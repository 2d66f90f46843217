import { builtInEnum } from '../built-in-enum.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { int } from '../arguments.ts';
import { toText } from '../text.ts';
import { DateTimeFormatter } from './date-time-formatter.ts';
import { DAY_NAMES, dateTimeError, dayEnum, MONTH_NAMES, monthEnum } from './temporal.ts';
import { temporal } from './temporal-methods.ts';
import { zone } from './time-arguments.ts';

const ISO = [
  'BASIC_ISO_DATE',
  'ISO_DATE',
  'ISO_DATE_TIME',
  'ISO_INSTANT',
  'ISO_LOCAL_DATE',
  'ISO_LOCAL_DATE_TIME',
  'ISO_LOCAL_TIME',
  'ISO_OFFSET_DATE_TIME',
  'ISO_TIME',
  'ISO_ZONED_DATE_TIME',
  'RFC_1123_DATE_TIME',
];
const NAMED_FORMATTERS = Object.fromEntries(ISO.map((name) => [name, new DateTimeFormatter(name, true)]));

defineStatics(
  'java.time.format.DateTimeFormatter',
  { 'ofPattern/1-2': (pattern: unknown) => new DateTimeFormatter(toText(pattern)) },
  NAMED_FORMATTERS,
);
defineMethods('java.time.format.DateTimeFormatter', 'java.lang.Object', {
  'format/1': (self: DateTimeFormatter, value: unknown) => self.format(temporal(value)),
  'withZone/1': (self: DateTimeFormatter, to: unknown) =>
    new DateTimeFormatter(self.pattern, self.isIso, zone(to)),
  'withLocale/1': (self: DateTimeFormatter) => self,
});

builtInEnum('java.time.format.TextStyle', [
  'FULL',
  'FULL_STANDALONE',
  'SHORT',
  'SHORT_STANDALONE',
  'NARROW',
  'NARROW_STANDALONE',
]);

defineStatics('java.time.DayOfWeek', {
  'of/1': (value: unknown) => constant(dayEnum, DAY_NAMES, int(value), 'DayOfWeek'),
  'from/1': (value: unknown) => dayEnum[DAY_NAMES[(((temporal(value).day + 3) % 7) + 7) % 7]!],
});
defineStatics('java.time.Month', {
  'of/1': (value: unknown) => constant(monthEnum, MONTH_NAMES, int(value), 'MonthOfYear'),
  'from/1': (value: unknown) => monthEnum[MONTH_NAMES[temporal(value).fields.month]!],
});

function constant<T>(
  constants: Readonly<Record<string, T>>,
  names: readonly string[],
  value: number,
  what: string,
): T {
  const name = names[value - 1];
  if (name === undefined) throw dateTimeError(`Invalid value for ${what}: ${value}`);
  return constants[name]!;
}
