import { notDecimal, parseDecimal } from './decimal.ts';
import { exception, type Throwable } from './throwable.ts';
import { BigInteger, Byte, Double, Float, type Numeric, Short } from './values.ts';

/** Undefined when the class is none of a number; a bad text throws as Java's own parsers do. */
export function parseNumber(text: string, simpleName: string): Numeric | undefined {
  switch (simpleName) {
    case 'Integer':
      return Number(parseWhole(text, 32));
    case 'Long':
      return parseWhole(text, 64);
    case 'Short':
      return new Short(Number(parseWhole(text, 16)));
    case 'Byte':
      return new Byte(Number(parseWhole(text, 8)));
    case 'BigInteger':
      return new BigInteger(parseWhole(text, 0));
    case 'Double':
      return new Double(parseDouble(text));
    case 'Float':
      return new Float(parseDouble(text));
    case 'BigDecimal':
    case 'Number': {
      const value = parseDecimal(text);
      if (value === undefined) throw notDecimal(text);
      return value;
    }
    default:
      return undefined;
  }
}

/** `bits` 0: of any size. */
export function parseWhole(text: string, bits: number, radix = 10): bigint {
  const pattern =
    radix === 10
      ? /^[+-]?\d+$/
      : radix === 16
        ? /^[+-]?[\da-f]+$/i
        : radix === 2
          ? /^[+-]?[01]+$/
          : /^[+-]?[\da-z]+$/i;
  const hint = radix === 10 ? '' : ` under radix ${radix}`;
  if (!pattern.test(text)) throw numberFormat(`For input string: "${text}"${hint}`);
  let value = 0n;
  for (const digit of text.replace(/^[+-]/, ''))
    value = value * BigInt(radix) + BigInt(Number.parseInt(digit, radix));
  if (text.startsWith('-')) value = -value;
  if (bits > 0 && BigInt.asIntN(bits, value) !== value)
    throw numberFormat(`For input string: "${text}"${hint}`);
  return value;
}

export function parseDouble(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') throw numberFormat('empty String');
  if (/^[+-]?(?:NaN|Infinity)$/.test(trimmed)) return Number(trimmed.replace('+', ''));
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?$/.test(trimmed)) {
    throw numberFormat(`For input string: "${text}"`);
  }
  return Number(trimmed.replace(/[dDfF]$/, ''));
}

function numberFormat(message: string | null): Throwable {
  return exception('java.lang.NumberFormatException', message);
}
