import { classNamed, type JavaClass } from '../java-class.ts';
import { exception } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { fractionText } from './temporal.ts';

const DURATION_CLASS = classNamed('java.time.Duration');
const PERIOD_CLASS = classNamed('java.time.Period');

/** A span of seconds and nanoseconds. */
export class Duration extends JavaObject {
  readonly type: JavaClass = DURATION_CLASS;
  /** The whole duration in nanoseconds. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  static ofMs(ms: number): Duration {
    return new Duration(BigInt(Math.round(ms)) * 1_000_000n);
  }

  override key(): unknown {
    return this.nanos;
  }

  override compareTo(other: unknown): number | undefined {
    if (!(other instanceof Duration)) return undefined;
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  override toText(): string {
    if (this.nanos === 0n) return 'PT0S';
    const seconds = this.nanos / 1_000_000_000n;
    const rest = Number(this.nanos % 1_000_000_000n);
    const [hours, minutes, left] = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n];
    let text = 'PT';
    if (hours !== 0n) text += `${hours}H`;
    if (minutes !== 0n) text += `${minutes}M`;
    if (left === 0n && rest === 0) return text;
    const sign = left === 0n && rest < 0 ? '-' : '';
    return `${text}${sign}${left}${fractionText(Math.abs(rest)).replace(/0+$/, '')}S`;
  }
}

/** Years, months and days. */
export class Period extends JavaObject {
  readonly type: JavaClass = PERIOD_CLASS;
  readonly years: number;
  readonly months: number;
  readonly days: number;

  constructor(years: number, months: number, days: number) {
    super();
    this.years = years;
    this.months = months;
    this.days = days;
  }

  override key(): unknown {
    return this.toText();
  }

  override toText(): string {
    const parts = [
      [this.years, 'Y'],
      [this.months, 'M'],
      [this.days, 'D'],
    ] as const;
    const text = parts.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('');
    return `P${text === '' ? '0D' : text}`;
  }
}

function unparseable(what: string) {
  return exception('java.time.format.DateTimeParseException', `Text cannot be parsed to a ${what}`);
}

export function parseDuration(text: string): Duration {
  const match =
    /^([+-]?)P(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+)(?:\.(\d{0,9}))?S)?)?$/i.exec(
      text,
    );
  if (match === null || /T?$/i.exec(text)?.[0] === 'T' || text.length < 3) throw unparseable('Duration');
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const whole = BigInt(days) * 86_400n + BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds);
  const part = BigInt(fraction.padEnd(9, '0')) * (seconds.startsWith('-') ? -1n : 1n);
  const nanos = whole * 1_000_000_000n + part;
  return new Duration(sign === '-' ? -nanos : nanos);
}

export function parsePeriod(text: string): Period {
  const match = /^([+-]?)P(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)W)?(?:([+-]?\d+)D)?$/i.exec(text);
  if (match === null || text.length < 3) throw unparseable('Period');
  const [, sign, years = '0', months = '0', weeks = '0', days = '0'] = match;
  const factor = sign === '-' ? -1 : 1;
  return new Period(
    Number(years) * factor,
    Number(months) * factor,
    (Number(weeks) * 7 + Number(days)) * factor,
  );
}
