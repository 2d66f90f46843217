import {
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type Position,
  setMember,
  TextLines,
} from '#json/index.ts';

// By hand: parsers with places do not say what they expected, nor find keys that stand twice, and overflow the stack.

export interface JsonProblem {
  readonly id: 'CONFIG_BAD_JSON' | 'CONFIG_DUPLICATE_KEY';
  readonly position: Position;
  readonly message: string;
  readonly hint?: string;
}

/** A JSON text together with where everything stands in it. */
export interface JsonDocument {
  readonly value: JsonValue;
  /** Place of a member's key or of a value; of the nearest thing around it when the path leads nowhere. */
  positionOf(path: readonly PropertyKey[], part?: 'key' | 'value'): Position;
  /** The other way round: what begins at a place, key or value; undefined where nothing does. */
  pathAt(position: Position): readonly string[] | undefined;
}

/**
 * Parses strict JSON (RFC 8259). The first syntax error ends it and leaves no document; repeated keys are
 * problems of a text that is otherwise read to its end, up to `MOST_REPEATED` of them.
 */
export function parseJsonDocument(text: string): {
  readonly document?: JsonDocument;
  readonly problems: readonly JsonProblem[];
} {
  const reader = new Reader(text);
  try {
    const { value, place } = reader.document();
    const { lines } = reader;
    const positionOf = (path: readonly PropertyKey[], part: 'key' | 'value' = 'value') =>
      lines.positionAt(offsetOf(place, path, part));
    let paths: ReadonlyMap<number, readonly string[]> | undefined;
    const pathAt = (position: Position) => {
      paths ??= pathsByOffset(place);
      return paths.get(lines.offsetAt(position));
    };
    return { document: { value, positionOf, pathAt }, problems: reader.problems };
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    return { problems: [...reader.problems, error.problem] };
  }
}

/** Where one value stands; an object's or array's parts by key or index. */
interface Place {
  readonly at: number;
  readonly keyAt?: number;
  readonly parts?: ReadonlyMap<string, Place>;
}

class JsonMistake extends Error {
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

const DEPTH_LIMIT = 200;
/** How many repeated names of one text are told; whoever repeats more has not written it by hand. */
const MOST_REPEATED = 100;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS = { true: true, false: false, null: null } as const;

class Reader {
  readonly problems: JsonProblem[] = [];
  readonly lines: TextLines;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.lines = new TextLines(text);
  }

  document(): { value: JsonValue; place: Place } {
    const root = this.#value('a value');
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail('the end of the file');
    return root;
  }

  #value(expected: string): { value: JsonValue; place: Place } {
    this.#skipBlanks();
    const at = this.#at;
    const first = this.#text[at];
    if (first === '{' || first === '[') {
      if (++this.#depth > DEPTH_LIMIT) this.#refuse(`nested more than ${DEPTH_LIMIT} levels deep`);
      const read = first === '{' ? this.#object() : this.#array();
      this.#depth--;
      return read;
    }
    if (first === '"') return { value: this.#string(), place: { at } };
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(this.#text)?.[0];
    if (digits !== undefined) {
      this.#at += digits.length;
      return { value: Number(digits), place: { at } };
    }
    for (const [word, value] of Object.entries(WORDS)) {
      if (this.#text.startsWith(word, at)) {
        this.#at += word.length;
        return { value, place: { at } };
      }
    }
    return this.#fail(expected);
  }

  #object(): { value: JsonObject; place: Place } {
    const at = this.#at++;
    const value: JsonObject = {};
    const parts = new Map<string, Place>();
    for (let more = !this.#takes('}'); more; ) {
      this.#skipBlanks();
      const keyAt = this.#at;
      if (this.#text[keyAt] !== '"') this.#fail('a key in double quotes');
      const key = this.#string();
      const before = parts.get(key);
      if (before !== undefined) this.#reportRepeated(key, keyAt, before);
      if (!this.#takes(':')) this.#fail("':'");
      const member = this.#value('a value');
      setMember(value, key, member.value);
      parts.set(key, { ...member.place, keyAt });
      more = this.#takes(',');
      if (!more && !this.#takes('}')) this.#fail("',' or '}'");
    }
    return { value, place: { at, parts } };
  }

  #array(): { value: JsonArray; place: Place } {
    const at = this.#at++;
    const value: JsonArray = [];
    const parts = new Map<string, Place>();
    for (let more = !this.#takes(']'); more; ) {
      const element = this.#value('a value');
      parts.set(String(value.length), element.place);
      value.push(element.value);
      more = this.#takes(',');
      if (!more && !this.#takes(']')) this.#fail("',' or ']'");
    }
    return { value, place: { at, parts } };
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const letter = this.#text[this.#at];
      if (letter === undefined) {
        this.#at = start;
        this.#refuse('a string that begins here has no closing quote');
      }
      if (letter < ' ')
        this.#refuse('a string must not hold a bare line break or control character', 'Write \\n');
      if (letter === '"') break;
      if (
        letter === '\\' &&
        !/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.#text.slice(this.#at + 1, this.#at + 6))
      ) {
        this.#refuse('a backslash must begin one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX', 'Write \\\\');
      }
      this.#at += letter === '\\' ? 2 : 1;
    }
    this.#at++;
    return String(JSON.parse(this.#text.slice(start, this.#at)));
  }

  #takes(mark: string): boolean {
    this.#skipBlanks();
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #skipBlanks(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? '-')) this.#at++;
  }

  #reportRepeated(key: string, keyAt: number, before: Place): void {
    if (this.problems.length === MOST_REPEATED) return;
    const first = this.lines.positionAt(before.keyAt ?? before.at);
    this.problems.push({
      id: 'CONFIG_DUPLICATE_KEY',
      position: this.lines.positionAt(keyAt),
      message: `key ${JSON.stringify(key)} stands here a second time`,
      hint: `The first is at ${first.line}:${first.column}`,
    });
  }

  #fail(expected: string): never {
    const letter = this.#text[this.#at];
    const found = letter === undefined ? 'the end of the file' : `'${wordAt(this.#text, this.#at)}'`;
    this.#refuse(`expected ${expected}, found ${found}`, this.#hintFor(letter));
  }

  #hintFor(letter: string | undefined): string | undefined {
    if (letter === "'") return 'Strings stand in double quotes';
    if (letter === '/') return 'JSON has no comments; a key that begins with # is one';
    const before = this.#text.slice(0, this.#at).trimEnd().at(-1);
    return (letter === '}' || letter === ']') && before === ',' ? 'Remove the comma before it' : undefined;
  }

  #refuse(message: string, hint?: string): never {
    throw new JsonMistake({
      id: 'CONFIG_BAD_JSON',
      position: this.lines.positionAt(this.#at),
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

function wordAt(text: string, at: number): string {
  return /^[\w-]{1,20}|^./su.exec(text.slice(at, at + 20))?.[0] ?? '';
}

function offsetOf(root: Place, path: readonly PropertyKey[], part: 'key' | 'value'): number {
  let place = root;
  for (const [depth, key] of path.entries()) {
    const next = place.parts?.get(String(key));
    if (next === undefined) return place.at;
    if (part === 'key' && depth === path.length - 1) return next.keyAt ?? next.at;
    place = next;
  }
  return place.at;
}

/** What begins at each offset; of a value that begins with another one, the outer. */
function pathsByOffset(root: Place): ReadonlyMap<number, readonly string[]> {
  const paths = new Map<number, readonly string[]>();
  visit(root, []);
  return paths;

  function visit({ at, keyAt, parts = new Map() }: Place, path: readonly string[]): void {
    for (const offset of keyAt === undefined ? [at] : [at, keyAt])
      if (!paths.has(offset)) paths.set(offset, path);
    for (const [key, part] of parts) visit(part, [...path, key]);
  }
}
