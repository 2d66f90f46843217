/** As Java writes doubles: plain between 0.001 and ten millions, else with an exponent. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  // Java writes the smallest one with one digit more than it needs.
  if (Math.abs(value) === Number.MIN_VALUE) return value < 0 ? '-4.9E-324' : '4.9E-324';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  return scientific(value, String(Math.abs(value)));
}

/** @param shortest the shortest decimal text of its absolute value */
export function scientific(value: number, shortest: string): string {
  const sign = value < 0 ? '-' : '';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const plain = shortest.includes('e') ? magnitude.toFixed(20).replace(/0+$/, '') : shortest;
    return sign + (plain.includes('.') ? plain : `${plain}.0`);
  }
  const [digits = '', exponent] = toExponent(shortest);
  const fraction = digits.slice(1).replace(/0+$/, '');
  return `${sign}${digits[0]}.${fraction === '' ? '0' : fraction}E${exponent}`;
}

function toExponent(text: string): [string, number] {
  const [mantissa = '', power = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const leading = (whole + fraction).length - digits.length;
  return [digits, whole.length - 1 - leading + Number(power)];
}
