import { parseDecimal } from '../decimal.ts';
import { JavaMap } from '../java-map.ts';
import { exception, type Throwable } from '../throwable.ts';
import { BigInteger } from '../values.ts';

const LONG_MAX = 9_223_372_036_854_775_807n;
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN = /[^"\\\p{Cc}]*/uy;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
};
const DEEPEST = 400;

/** JSON as `JsonSlurper` reads it: the smallest whole number that fits, and BigDecimal for the others. */
export function readJson(text: string): unknown {
  const reader = new JsonReader(text);
  return reader.readAll();
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): unknown {
    if (this.#text.trim() === '')
      throw jsonException('Text must not be null or empty', 'java.lang.IllegalArgumentException');
    const value = this.#value();
    this.#skip(SPACE);
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #unexpected(): Throwable {
    const char = this.#text[this.#at];
    const what = char === undefined ? 'the end of the text' : `'${char}'`;
    return jsonException(
      `Unable to determine the current character, it is not a string, number, array, or object\n\nThe current character read is ${what} at index ${this.#at}`,
    );
  }

  #value(): unknown {
    this.#skip(SPACE);
    const char = this.#text[this.#at];
    if (char === '{') return this.#nested(() => this.#object());
    if (char === '[') return this.#nested(() => this.#array());
    if (char === '"') return this.#string();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    const number = this.#skip(NUMBER);
    if (number === '') throw this.#unexpected();
    return toNumber(number);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > DEEPEST) throw jsonException('The JSON text is nested too deeply');
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JavaMap {
    const map = new JavaMap();
    this.#at++;
    this.#skip(SPACE);
    if (this.#text[this.#at] === '}') {
      this.#at++;
      return map;
    }
    for (;;) {
      this.#skip(SPACE);
      if (this.#text[this.#at] !== '"') throw this.#unexpected();
      const key = this.#string();
      this.#skip(SPACE);
      if (this.#text[this.#at] !== ':') throw this.#unexpected();
      this.#at++;
      map.put(key, this.#value());
      if (!this.#goesOn('}')) return map;
    }
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    this.#skip(SPACE);
    if (this.#text[this.#at] === ']') {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#value());
      if (!this.#goesOn(']')) return items;
    }
  }

  #goesOn(end: string): boolean {
    this.#skip(SPACE);
    const char = this.#text[this.#at];
    if (char !== ',' && char !== end) throw this.#unexpected();
    this.#at++;
    return char === ',';
  }

  #string(): string {
    this.#at++;
    let value = '';
    for (;;) {
      value += this.#skip(PLAIN);
      const char = this.#text[this.#at++];
      if (char === '"') return value;
      if (char !== '\\') throw jsonException('A string of the JSON text has no end');
      const kind = this.#text[this.#at++] ?? '';
      const escaped = ESCAPES[kind];
      if (escaped !== undefined) value += escaped;
      else {
        const code = /^[\da-fA-F]{4}/.exec(this.#text.slice(this.#at, this.#at + 4))?.[0];
        if (kind !== 'u' || code === undefined) throw this.#unexpected();
        value += String.fromCharCode(Number.parseInt(code, 16));
        this.#at += 4;
      }
    }
  }
}

function toNumber(text: string): unknown {
  if (/[.eE]/.test(text)) return parseDecimal(text);
  const value = BigInt(text);
  if (BigInt.asIntN(32, value) === value) return Number(value);
  return value <= LONG_MAX && value >= -LONG_MAX - 1n ? value : new BigInteger(value);
}

export function jsonException(message: string, className = 'groovy.json.JsonException'): Throwable {
  return exception(className, message);
}
