import { toDecimal, toNumber } from './arithmetic.ts';
import { plainText, type Rounding, rescale } from './decimal.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { roundingOf } from './math-context.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import { parseNumber } from './parse-number.ts';
import './methods/object-methods.ts';
import { javaText, toText } from './text.ts';
import { exception, illegalArgument } from './throwable.ts';
import { BigDecimal, Double, isNumeric, JavaObject, type Numeric } from './values.ts';

const PATTERN = /^([^#0,.]*)([#0,]*)(?:\.([0#]*))?([^#0,.]*)$/;

const DECIMAL_FORMAT_CLASS = classNamed('java.text.DecimalFormat');

/** `java.text.DecimalFormat`, in English. */
class DecimalFormat extends JavaObject {
  readonly type: JavaClass = DECIMAL_FORMAT_CLASS;
  rounding: Rounding = 'HALF_EVEN';
  readonly #prefix: string;
  readonly #suffix: string;
  /** What is around the digits of a negative number. */
  readonly #negative: readonly [prefix: string, suffix: string];
  readonly #leastWhole: number;
  readonly #leastFraction: number;
  readonly #mostFraction: number;
  readonly #group: number;

  constructor(pattern: string) {
    super();
    const [positive = '', negative] = pattern.split(';');
    const match = PATTERN.exec(positive);
    if (match === null) throw illegalArgument(`Malformed pattern "${pattern}"`);
    const [, prefix = '', whole = '', fraction = '', suffix = ''] = match;
    this.#prefix = prefix.replaceAll("'", '');
    this.#suffix = suffix.replaceAll("'", '');
    const [, before = '', , , behind = ''] = PATTERN.exec(negative ?? '') ?? [];
    this.#negative =
      negative === undefined || (before === this.#prefix && behind === this.#suffix)
        ? [`-${this.#prefix}`, this.#suffix]
        : [before.replaceAll("'", ''), behind.replaceAll("'", '')];
    this.#leastWhole = whole.replace(/[^0]/g, '').length;
    this.#leastFraction = fraction.replace(/[^0]/g, '').length;
    this.#mostFraction = fraction.length;
    this.#group = whole.includes(',') ? whole.length - whole.lastIndexOf(',') - 1 : 0;
  }

  format(value: Numeric): string {
    const number = toNumber(value);
    if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : `${number < 0 ? '-' : ''}∞`;
    const isPercent = this.#suffix.includes('%');
    const decimal = toDecimal(value);
    const shown = isPercent ? new BigDecimal(decimal.unscaled * 100n, decimal.scale) : decimal;
    const rounded = rescale(shown, this.#mostFraction, this.rounding);
    // A negative number that was rounded to zero keeps its sign.
    const isNegative = decimal.unscaled < 0n;
    const size = new BigDecimal(rounded.unscaled < 0n ? -rounded.unscaled : rounded.unscaled, rounded.scale);
    const [whole = '', fraction = ''] = plainText(size).split('.');
    let end = fraction.length;
    while (end > this.#leastFraction && fraction[end - 1] === '0') end--;
    const kept = this.#leastFraction === 0 && size.unscaled === 0n ? '' : fraction.slice(0, end);
    const digits = (whole === '0' && this.#leastWhole === 0 && kept !== '' ? '' : whole).padStart(
      this.#leastWhole,
      '0',
    );
    const grouped =
      this.#group > 0 ? digits.replace(new RegExp(`\\B(?=(\\d{${this.#group}})+$)`, 'g'), ',') : digits;
    const [before, behind] = isNegative ? this.#negative : [this.#prefix, this.#suffix];
    return `${before}${grouped}${kept === '' ? '' : `.${kept}`}${behind}`;
  }
}

defineStatics('java.text.DecimalFormat', {
  'new/0-2': (pattern: unknown = '#,##0.###') => new DecimalFormat(toText(pattern)),
});
defineStatics('java.text.NumberFormat', {
  'getInstance/0-1': () => new DecimalFormat('#,##0.###'),
  'getNumberInstance/0-1': () => new DecimalFormat('#,##0.###'),
  'getIntegerInstance/0-1': () => new DecimalFormat('#,##0'),
  'getCurrencyInstance/0-1': () => new DecimalFormat('$#,##0.00'),
  'getPercentInstance/0-1': () => new DecimalFormat('#,##0%'),
});
defineMethods('java.text.NumberFormat', 'java.lang.Object', {
  'format/1': (self: DecimalFormat, value: unknown) => {
    if (!isNumeric(value)) throw illegalArgument('Cannot format given Object as a Number');
    return self.format(value);
  },
  'setRoundingMode/1': (self: DecimalFormat, mode: unknown) => {
    self.rounding = roundingOf(mode);
    return null;
  },
  'parse/1': (_self: DecimalFormat, text: unknown) => {
    const found = /^-?[\d,]*\.?\d+/.exec(toText(text))?.[0].replaceAll(',', '');
    if (found === undefined)
      throw exception('java.text.ParseException', `Unparseable number: "${toText(text)}"`);
    return found.includes('.') ? new Double(Number(found)) : parseNumber(found, 'Long');
  },
});

/** `{0}` and `{1,number,#.##}` take arguments; quotes keep braces as they are. */
function formatMessage(pattern: string, args: readonly unknown[]): string {
  let result = '';
  for (const [part] of pattern.matchAll(/''|'[^']*'?|\{[^}]*\}|[^'{]+|./gs)) {
    if (part === "''") result += "'";
    else if (part.startsWith("'")) result += part.replaceAll("'", '');
    else if (part.startsWith('{')) result += formatArgument(part, args);
    else result += part;
  }
  return result;
}

function formatArgument(part: string, args: readonly unknown[]): string {
  const [position = '', kind = '', style = ''] = part
    .slice(1, -1)
    .split(',')
    .map((text) => text.trim());
  if (!/^\d+$/.test(position)) throw illegalArgument(`can't parse argument number: ${position}`);
  const value = args[Number(position)];
  if (value === undefined) return part;
  if (isNumeric(value) && (kind === '' || kind === 'number')) {
    return new DecimalFormat(style === '' || style === 'integer' ? '#,##0.###' : style).format(value);
  }
  return javaText(value);
}

defineStatics('java.text.MessageFormat', {
  'format/1+': (pattern: unknown, ...args: unknown[]) => formatMessage(toText(pattern), args),
});
