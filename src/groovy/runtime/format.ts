import { toBigInt, toDecimal, toNumber, unsigned } from './arithmetic.ts';
import { plainText, rescale } from './decimal.ts';
import { formatDateWith } from './format-date-port.ts';
import { isFixedPoint } from './number-text.ts';
import { javaText, toText } from './text.ts';
import { exception, illegalArgument, type Throwable } from './throwable.ts';
import { classNameOf } from './type-of.ts';
import { BigDecimal, Double, Float, isNumeric, listKind, type Numeric } from './values.ts';

const SPECIFIER = /%(?:(\d+)\$)?([-#+ 0,(<]*)(\d+)?(?:\.(\d+))?([tT]?)([a-zA-Z%])/g;

/** The arguments of a method that takes any number of them: an array of objects alone is all of them. */
export function unpacked(values: readonly unknown[]): readonly unknown[] {
  const [only] = values;
  if (values.length !== 1 || !Array.isArray(only)) return values;
  const element = listKind(only)?.element;
  return element === undefined || element.form === 'primitive' ? values : only;
}

/** Java's `String.format`. */
export function formatText(pattern: string, args: readonly unknown[]): string {
  let next = 0;
  let end = 0;
  let previous = 0;
  const result = pattern.replace(
    SPECIFIER,
    (all, position, flags: string, width, precision, time, kind: string, at: number) => {
      if (pattern.slice(end, at).includes('%')) throw unknownFormat(pattern.slice(end, at));
      end = at + all.length;
      if (kind === 'n') return '\n';
      if (kind === '%') return pad('%', flags, Number(width ?? 0));
      let which = flags.includes('<') ? previous : position === undefined ? next++ : Number(position) - 1;
      which = Math.max(0, which);
      if (which >= args.length) {
        throw exception('java.lang.IllegalArgumentException', `Format specifier '${all}'`);
      }
      previous = which;
      const text =
        time === ''
          ? formatValue(
              args[which],
              kind,
              flags,
              precision === undefined ? undefined : Number(precision),
              Number(width ?? 0),
            )
          : formatDateWith(args[which], kind);
      const isUpper = time === 'T' || (/[A-Z]/.test(kind) && time === '');
      return pad(isUpper ? text.toUpperCase() : text, flags, Number(width ?? 0));
    },
  );
  if (pattern.slice(end).includes('%')) throw unknownFormat(pattern.slice(end));
  return result;
}

function unknownFormat(text: string): Throwable {
  return illegalArgument(`Conversion = '${text.slice(text.indexOf('%') + 1, text.indexOf('%') + 2) || '%'}'`);
}

function formatValue(
  value: unknown,
  kind: string,
  flags: string,
  precision: number | undefined,
  width: number,
): string {
  switch (kind.toLowerCase()) {
    case 's':
      return cut(javaText(value), precision);
    case 'b':
      return cut(String(typeof value === 'boolean' ? value : value !== null), precision);
    case 'c':
      return value === null
        ? 'null'
        : isNumeric(value)
          ? String.fromCodePoint(toNumber(value))
          : toText(value);
    case 'd':
    case 'x':
    case 'o':
      return whole(value, kind.toLowerCase(), flags, width);
    case 'e':
    case 'f':
    case 'g':
      return fraction(value, kind.toLowerCase(), flags, precision ?? 6, width);
    default:
      throw unknownFormat(`%${kind}`);
  }
}

function whole(value: unknown, kind: string, flags: string, width: number): string {
  if (value === null) return 'null';
  if (!isNumeric(value) || !isFixedPoint(value)) throw wrongKind(kind, value);
  const number = toBigInt(value);
  if (kind !== 'd') {
    const bits =
      typeof value === 'number'
        ? unsigned(number, 32n)
        : typeof value === 'bigint'
          ? unsigned(number, 64n)
          : number;
    const digits = bits.toString(kind === 'x' ? 16 : 8);
    const prefix = flags.includes('#') ? (kind === 'x' ? '0x' : '0') : '';
    return flags.includes('0') ? prefix + digits.padStart(width - prefix.length, '0') : prefix + digits;
  }
  return signed((number < 0n ? -number : number).toString(), number < 0n, flags, width);
}

function fraction(value: unknown, kind: string, flags: string, precision: number, width: number): string {
  if (value === null) return 'null';
  if (!isNumeric(value) || isFixedPoint(value)) throw wrongKind(kind, value);
  const number = toNumber(value);
  if (!Number.isFinite(number))
    return Number.isNaN(number) ? 'NaN' : signed('Infinity', number < 0, flags.replace('0', ''), width);
  const isScientific =
    kind === 'e' || (kind === 'g' && (Math.abs(number) < 1e-4 || Math.abs(number) >= 10 ** precision));
  if (isScientific) {
    const [mantissa, power = '+0'] = Math.abs(number)
      .toExponential(kind === 'g' ? precision - 1 : precision)
      .split('e');
    const exponent = power.slice(1).padStart(2, '0');
    return signed(`${mantissa}e${power[0]}${exponent}`, number < 0, flags, width);
  }
  const digits =
    kind === 'g' ? Math.max(0, precision - 1 - Math.floor(Math.log10(Math.abs(number) || 1))) : precision;
  const rounded = rescale(exactDecimal(value), digits, 'HALF_UP');
  const text = plainText(
    new BigDecimal(rounded.unscaled < 0n ? -rounded.unscaled : rounded.unscaled, rounded.scale),
  );
  return signed(
    digits > 0 && rounded.unscaled === 0n ? `0.${'0'.repeat(digits)}` : text,
    number < 0,
    flags,
    width,
  );
}

function exactDecimal(value: Numeric): BigDecimal {
  return value instanceof Float ? toDecimal(new Double(value.value)) : toDecimal(value);
}

function signed(digits: string, isNegative: boolean, flags: string, width: number): string {
  const [left = '', right] = digits.split('.');
  const grouped = flags.includes(',') ? left.replace(/\B(?=(\d{3})+$)/g, ',') : left;
  const text = right === undefined ? grouped : `${grouped}.${right}`;
  const sign = isNegative
    ? flags.includes('(')
      ? '('
      : '-'
    : flags.includes('+')
      ? '+'
      : flags.includes(' ')
        ? ' '
        : '';
  const close = isNegative && flags.includes('(') ? ')' : '';
  const room = flags.includes('0') ? width - sign.length - close.length : 0;
  return sign + text.padStart(room, '0') + close;
}

function wrongKind(kind: string, value: unknown): Throwable {
  return illegalArgument(`${kind} != ${classNameOf(value)}`);
}

function cut(text: string, length: number | undefined): string {
  return length === undefined ? text : text.slice(0, length);
}

function pad(text: string, flags: string, width: number): string {
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width);
}
