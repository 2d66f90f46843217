import { decimalText } from './decimal.ts';
import { doubleText, scientific } from './double-text.ts';
import { BigDecimal, BigInteger, Byte, Double, Float, type Numeric, Short } from './values.ts';

export function numberText(value: Numeric): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof BigDecimal) return decimalText(value);
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Float) return floatText(value.value);
  return String(value.value);
}

function floatText(value: number): string {
  if (!Number.isFinite(value) || value === 0) return doubleText(value);
  for (let digits = 1; digits <= 9; digits++) {
    const text = Math.abs(value).toPrecision(digits);
    if (Math.fround(Number(text)) === Math.abs(value)) return scientific(value, String(Number(text)));
  }
  return doubleText(value);
}

export function isFixedPoint(value: Numeric): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof BigInteger ||
    value instanceof Short ||
    value instanceof Byte
  );
}
