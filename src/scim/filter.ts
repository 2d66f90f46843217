import { BadRequestError } from '#errors/index.ts';
import { type AttributePath, parseAttributePath } from './attribute-path.ts';

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type ScimOperator = (typeof OPERATORS)[number];
export type ScimValue = string | number | boolean | null;

/** A filter of RFC 7644, 3.4.2.2. */
export type ScimFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly filter: ScimFilter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | {
      readonly kind: 'compare';
      readonly path: AttributePath;
      readonly operator: ScimOperator;
      readonly value: ScimValue;
    }
  /** `emails[type eq "work"]`: one element meets all of it. */
  | { readonly kind: 'element'; readonly path: AttributePath; readonly filter: ScimFilter };

/** Characters of a filter, conditions in it, and how deep it may be nested. */
const MOST = { characters: 8_192, conditions: 200, depth: 20 } as const;

/** @throws BadRequestError `SCIM_BAD_FILTER` with what is wrong, and where */
export function parseScimFilter(text: string, schemas: readonly string[]): ScimFilter {
  const reader = new FilterReader(text, schemas);
  const filter = reader.or(0);
  reader.end();
  return filter;
}

/** The `name[filter].sub` of a patch. @throws BadRequestError `SCIM_BAD_PATH`, `SCIM_BAD_FILTER` */
export function parseElementPath(
  given: string,
  schemas: readonly string[],
): { readonly path: AttributePath; readonly filter: ScimFilter | null } {
  const text = given.trim();
  const open = text.indexOf('[');
  if (open === -1) return { path: parseAttributePath(text, schemas), filter: null };
  const close = text.lastIndexOf(']');
  const behind = text.slice(close + 1);
  if (close < open || (behind !== '' && !/^\.\$?[A-Za-z][\w-]*$/.test(behind))) {
    throw new BadRequestError(`'${text}' is no path of an attribute`, {
      id: 'SCIM_BAD_PATH',
      hint: 'Such as emails[type eq "work"].value',
    });
  }
  const path = parseAttributePath(text.slice(0, open), schemas);
  if (path.sub !== null)
    throw new BadRequestError(`'${text}' looks for elements below an attribute`, { id: 'SCIM_BAD_PATH' });
  const filter = parseScimFilter(text.slice(open + 1, close), []);
  return { path: { ...path, sub: behind === '' ? null : behind.slice(1) }, filter };
}

/** `and` binds closer than `or`; `not` takes what stands in parentheses. */
class FilterReader {
  readonly #text: string;
  readonly #schemas: readonly string[];
  #at = 0;
  #conditions = 0;

  constructor(text: string, schemas: readonly string[]) {
    this.#text = text;
    this.#schemas = schemas;
    if (text.length > MOST.characters) {
      throw new BadRequestError(`The filter has ${text.length} characters; ${MOST.characters} are allowed`, {
        id: 'SCIM_BAD_FILTER',
      });
    }
  }

  or(depth: number): ScimFilter {
    const filters = [this.#and(depth)];
    while (this.#takeWord('or')) filters.push(this.#and(depth));
    return together('or', filters);
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fault('nothing is expected');
  }

  #and(depth: number): ScimFilter {
    const filters = [this.#condition(depth)];
    while (this.#takeWord('and')) filters.push(this.#condition(depth));
    return together('and', filters);
  }

  #condition(depth: number): ScimFilter {
    if (depth > MOST.depth)
      throw new BadRequestError(`The filter is nested deeper than ${MOST.depth} levels`, {
        id: 'SCIM_BAD_FILTER',
      });
    this.#conditions += 1;
    if (this.#conditions > MOST.conditions) {
      throw new BadRequestError(`The filter has more than ${MOST.conditions} conditions`, {
        id: 'SCIM_BAD_FILTER',
      });
    }
    if (this.#take('(')) return this.#closed(')', depth);
    const at = this.#at;
    if (this.#takeWord('not')) {
      if (this.#take('(')) return { kind: 'not', filter: this.#closed(')', depth) };
      this.#at = at;
    }
    const path = this.#path();
    if (this.#text[this.#at] === '[') {
      this.#at += 1;
      if (path.sub !== null) throw this.#fault('only an attribute itself has elements');
      return this.#behindElement({ kind: 'element', path, filter: this.#closed(']', depth) });
    }
    return this.#comparison(path);
  }

  /** Some clients compare a part of an element that they have looked for: `emails[type eq "work"].value eq "x"`. */
  #behindElement(element: Extract<ScimFilter, { kind: 'element' }>): ScimFilter {
    if (this.#text[this.#at] !== '.') return element;
    this.#at += 1;
    const path = { schema: null, name: this.#word('an attribute'), sub: null };
    return { ...element, filter: together('and', [element.filter, this.#comparison(path)]) };
  }

  #comparison(path: AttributePath): ScimFilter {
    const word = this.#word('an operator');
    const operator = word.toLowerCase();
    if (operator === 'pr') return { kind: 'present', path };
    const known = OPERATORS.find((one) => one === operator);
    if (known === undefined) {
      this.#at -= word.length;
      throw this.#fault(`one of ${OPERATORS.join(', ')} and pr is expected`);
    }
    return { kind: 'compare', path, operator: known, value: this.#value() };
  }

  #closed(bracket: ')' | ']', depth: number): ScimFilter {
    const filter = this.or(depth + 1);
    if (!this.#take(bracket)) throw this.#fault(`'${bracket}' is expected`);
    return filter;
  }

  #path(): AttributePath {
    this.#skip();
    const text = /^[\w$:.-]+/.exec(this.#text.slice(this.#at))?.[0];
    if (text === undefined) throw this.#fault('an attribute is expected');
    try {
      const path = parseAttributePath(text, this.#schemas);
      this.#at += text.length;
      return path;
    } catch {
      throw this.#fault('an attribute of the resource is expected');
    }
  }

  #value(): ScimValue {
    this.#skip();
    const text = /^(?:"(?:[^"\\]|\\.)*"|[^\s()[\]]+)/s.exec(this.#text.slice(this.#at))?.[0] ?? '';
    const value = jsonOf(text);
    if (value === undefined)
      throw this.#fault('a text in double quotes, a number, true, false or null is expected');
    this.#at += text.length;
    return value;
  }

  #word(what: string): string {
    this.#skip();
    const word = /^[\w$-]+/.exec(this.#text.slice(this.#at))?.[0];
    if (word === undefined) throw this.#fault(`${what} is expected`);
    this.#at += word.length;
    return word;
  }

  #takeWord(word: string): boolean {
    this.#skip();
    const next = this.#text.slice(this.#at, this.#at + word.length + 1);
    if (next.slice(0, word.length).toLowerCase() !== word || /[\w.:$-]/.test(next.slice(word.length)))
      return false;
    this.#at += word.length;
    return true;
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #fault(what: string): Error {
    const rest = this.#text.slice(this.#at, this.#at + 30);
    const found = rest === '' ? 'it ends' : `there is '${rest}'`;
    return new BadRequestError(`At character ${this.#at + 1} of the filter ${found}, and ${what}`, {
      id: 'SCIM_BAD_FILTER',
    });
  }
}

function together(kind: 'and' | 'or', filters: readonly ScimFilter[]): ScimFilter {
  const [only] = filters;
  return only !== undefined && filters.length === 1 ? only : { kind, filters };
}

/** Words are met whatever their case, as clients write `True`. */
function jsonOf(text: string): ScimValue | undefined {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  if (!/^(?:"|-?\d)/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
