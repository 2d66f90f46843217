type Scalar = string | number | boolean | Date;

/** What may stand in a filter: a value, the list of values after `in`, or another filter. */
export type FilterValue = Scalar | readonly Scalar[] | Filter;

/** A query filter. Only `filter` and `asFilter` make one, so no text becomes a condition by accident. */
export class Filter {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A filter with values in it: ``filter`userName eq ${name} and age gt ${18}` ``. Each value is quoted, so it stays a value
 * whatever is in it; filters in filters get parentheses.
 *
 * @throws TypeError for a value that no filter can hold, and for one that stands between quotes
 */
export function filter(texts: TemplateStringsArray, ...values: readonly FilterValue[]): Filter {
  let text = '';
  let quote = '';
  for (const [at, part] of texts.entries()) {
    text += part;
    quote = openQuote(part, quote);
    if (at === values.length) break;
    if (quote !== '') throw new TypeError(`Leave out the quotes around a value: ${text}`);
    const value = values[at];
    if (value === undefined) throw new TypeError(`There is no value after: ${text}`);
    text += written(value);
  }
  return new Filter(text);
}

/** A text that is a filter as a whole, such as one that a person has typed. What a program puts together is `filter`. */
export function asFilter(text: string): Filter {
  return new Filter(text);
}

/** The quote that is open behind the text; none is ''. */
function openQuote(text: string, before: string): string {
  let quote = before;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== '' && character === '\\') at++;
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return quote;
}

function written(value: FilterValue): string {
  if (value instanceof Filter) return `(${value.text})`;
  if (isList(value)) return JSON.stringify(value.map((each) => (each instanceof Date ? timeOf(each) : each)));
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numeral(value);
  if (value instanceof Date) return quoted(timeOf(value));
  throw new TypeError(`${value} is no value of a filter; of what is not there it says !(field pr)`);
}

function isList(value: FilterValue): value is readonly Scalar[] {
  return Array.isArray(value);
}

/** Inside quotes a backslash takes the next character as it is. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The language wants a point before an exponent. */
function numeral(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is no number of a filter`);
  return String(value).replace(/^(-?\d+)e/, '$1.0e');
}

function timeOf(value: Date): string {
  return value.toISOString();
}
