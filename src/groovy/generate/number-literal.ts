/** The JavaScript of a Groovy number, or what is wrong with it. Constants that need the runtime are `shared`. */
export type NumberLiteral =
  | { readonly code: string; readonly isShared: boolean; readonly isInt: boolean }
  | { readonly problem: string };

const INT_MAX = 2_147_483_647n;
const LONG_MAX = 9_223_372_036_854_775_807n;

export function numberLiteral(written: string): NumberLiteral {
  const isNegative = written.startsWith('-');
  const text = (isNegative ? written.slice(1) : written).replaceAll('_', '');
  const isHex = /^0[xX]/.test(text);
  const suffix = /[gGlLiI]$/.test(text) || (!isHex && /[dDfF]$/.test(text)) ? text.at(-1)!.toLowerCase() : '';
  const body = suffix === '' ? text : text.slice(0, -1);
  if (!isHex && !/^0[bB]/.test(body) && (/[.eE]/.test(body) || suffix === 'd' || suffix === 'f')) {
    return decimal(isNegative ? `-${body}` : body, suffix);
  }
  const isOctal = /^0\d/.test(body);
  if (isOctal && /[89]/.test(body)) return { problem: `'${written}' is no octal number` };
  const magnitude = BigInt(isOctal ? `0o${body.slice(1)}` : body);
  return integer(isNegative ? -magnitude : magnitude, suffix, isHex || isOctal || /^0[bB]/.test(body));
}

function integer(value: bigint, suffix: string, isBits: boolean): NumberLiteral {
  const fits = (most: bigint) => value <= most && value >= -most - 1n;
  // Hexadecimal and the like may fill the sign bit.
  const asBits = (bits: number) =>
    isBits && value >= 0n && value >> BigInt(bits) === 0n ? BigInt.asIntN(bits, value) : value;
  if (suffix === 'g') return { code: `$.integer(${value}n)`, isShared: true, isInt: false };
  if (suffix === 'l') {
    const long = asBits(64);
    if (long > LONG_MAX || long < -LONG_MAX - 1n) return { problem: `The number ${value} is out of range` };
    return { code: parenthesized(`${long}n`), isShared: false, isInt: false };
  }
  const int = suffix === 'i' ? asBits(32) : value;
  if (int <= INT_MAX && int >= -INT_MAX - 1n)
    return { code: parenthesized(`${int}`), isShared: false, isInt: true };
  if (suffix === 'i') return { problem: `The number ${value} is out of range` };
  if (fits(LONG_MAX)) return { code: parenthesized(`${value}n`), isShared: false, isInt: false };
  return { code: `$.integer(${value}n)`, isShared: true, isInt: false };
}

function decimal(text: string, suffix: string): NumberLiteral {
  if (suffix === 'd') return { code: `$.double(${floating(Number(text))})`, isShared: true, isInt: false };
  if (suffix === 'f')
    return { code: `$.float(${floating(Math.fround(Number(text)))})`, isShared: true, isInt: false };
  if (suffix !== '' && suffix !== 'g') return { problem: `'${text}${suffix}' is no number` };
  return { code: `$.decimal(${JSON.stringify(text)})`, isShared: true, isInt: false };
}

function floating(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function parenthesized(text: string): string {
  return text.startsWith('-') ? `(${text})` : text;
}
