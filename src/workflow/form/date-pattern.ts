/** Dates as text by the patterns of Java's `SimpleDateFormat`, in UTC and in English. */

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

interface Part {
  /** Empty for a literal text. */
  readonly letter: string;
  readonly width: number;
  readonly text: string;
}

const pad = (value: number, width: number) => String(value).padStart(width, '0');
const short = (name: string, width: number) => (width > 3 ? name : name.slice(0, 3));

type Writer = (date: Date, width: number) => string;

const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  [
    'y',
    (date, width) => (width === 2 ? pad(date.getUTCFullYear() % 100, 2) : pad(date.getUTCFullYear(), width)),
  ],
  [
    'M',
    (date, width) =>
      width > 2 ? short(MONTHS[date.getUTCMonth()]!, width) : pad(date.getUTCMonth() + 1, width),
  ],
  ['d', (date, width) => pad(date.getUTCDate(), width)],
  ['E', (date, width) => short(DAYS[date.getUTCDay()]!, width)],
  ['a', (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['H', (date, width) => pad(date.getUTCHours(), width)],
  ['k', (date, width) => pad(date.getUTCHours() || 24, width)],
  ['K', (date, width) => pad(date.getUTCHours() % 12, width)],
  ['h', (date, width) => pad(date.getUTCHours() % 12 || 12, width)],
  ['m', (date, width) => pad(date.getUTCMinutes(), width)],
  ['s', (date, width) => pad(date.getUTCSeconds(), width)],
  ['S', (date, width) => pad(date.getUTCMilliseconds(), width)],
  ['z', () => 'UTC'],
  ['Z', () => '+0000'],
  ['X', () => 'Z'],
]);

/** The mistake in a pattern, or undefined. */
export function checkDatePattern(pattern: string): string | undefined {
  const unknown = split(pattern).find(({ letter }) => letter !== '' && !WRITERS.has(letter));
  return unknown === undefined ? undefined : `has the unknown letter '${unknown.letter}'`;
}

/** @param instant in milliseconds since the epoch */
export function formatDate(instant: number, pattern: string): string {
  const date = new Date(instant);
  return split(pattern)
    .map(({ letter, width, text }) => WRITERS.get(letter)?.(date, width) ?? text)
    .join('');
}

/** The instant that a text written by the pattern names, or undefined when it is not written so. */
export function parseDate(text: string, pattern: string): number | undefined {
  const fields = matchFields(text, pattern);
  if (fields === undefined) return undefined;
  const number = (...letters: string[]) =>
    Number(letters.map((letter) => fields.get(letter)).find(Boolean) ?? 0);
  const written = fields.get('y') ?? '1970';
  // Two digits mean a year of our time.
  const year = written.length === 2 ? (number('y') < 70 ? 2000 : 1900) + number('y') : Number(written);
  const month = monthOf(fields.get('M') ?? '1');
  const day = fields.has('d') ? number('d') : 1;
  const half = number('h', 'K') % 12;
  const isTwelve = fields.has('h') || fields.has('K');
  const hour = isTwelve ? half + (fields.get('a')?.toUpperCase() === 'PM' ? 12 : 0) : number('H', 'k') % 24;
  const date = new Date(Date.UTC(year, month, day, hour, number('m'), number('s'), number('S')));
  date.setUTCFullYear(year, month, day);
  const isReal = date.getUTCMonth() === month && date.getUTCDate() === day && number('m') < 60;
  if (!isReal || number('H') > 24 || Number.isNaN(date.getTime())) return undefined;
  return date.getTime() - offsetOf(fields.get('Z') ?? fields.get('X') ?? fields.get('z') ?? 'Z');
}

function matchFields(text: string, pattern: string): Map<string, string> | undefined {
  const parts = split(pattern);
  const source = parts.map(({ letter, text: literal, width }, index) => {
    if (letter === '') return literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
    if (letter === 'E' || letter === 'a') return '([A-Za-z]+)';
    if (letter === 'M' && width > 2) return '([A-Za-z]+)';
    if (letter === 'z' || letter === 'Z' || letter === 'X') return '(Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)';
    // Fields that touch each other have exactly the width of the pattern.
    return parts[index + 1]?.letter ? `(\\d{${width}})` : '(\\d{1,9})';
  });
  const match = new RegExp(`^${source.join('')}$`).exec(text.trim());
  if (match === null) return undefined;
  const letters = parts.filter(({ letter }) => letter !== '').map(({ letter }) => letter);
  return new Map(letters.map((letter, index) => [letter, match[index + 1]!]));
}

function monthOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) - 1;
  return MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase());
}

function offsetOf(text: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function split(pattern: string): Part[] {
  const parts: Part[] = [];
  for (const [piece, quoted, letters] of pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z]/g)) {
    const isField = letters !== undefined;
    const text = quoted === undefined ? piece : quoted === '' ? "'" : quoted.replaceAll("''", "'");
    parts.push({ letter: isField ? letters : '', width: piece.length, text: isField ? '' : text });
  }
  return parts;
}
