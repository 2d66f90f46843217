import type { JsonObject, JsonValue } from '#json/index.ts';
import { setMember } from '#json/index.ts';

/** Why a value that Java has serialized does not come. */
export class JavaValueError extends Error {}

interface JavaClass {
  readonly name: string;
  /** It writes something of its own after its fields. */
  readonly writesMore: boolean;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly parent: JavaClass | undefined;
}

const [NULL, REFERENCE, CLASS, OBJECT, STRING, ARRAY] = [0x70, 0x71, 0x72, 0x73, 0x74, 0x75];
const [BLOCK, END, LONG_BLOCK, LONG_STRING, ENUM] = [0x77, 0x78, 0x7a, 0x7c, 0x7e];
const FIRST_HANDLE = 0x7e0000;
const WRITES_MORE = 0x01;
const MOST_DEEP = 100;
/** Written out as JSON: what several refer to is there as often. So many characters of a text count as one. */
const MOST_ITEMS = 100_000;
const CHARACTERS = 64;

/**
 * The JSON of what Java has serialized: texts, numbers, truth values, dates (milliseconds), and lists, sets, maps and arrays of these. No class
 * is looked up and nothing of an object runs.
 *
 * @throws JavaValueError that names the class of anything else
 */
export function javaValue(bytes: Buffer): JsonValue {
  try {
    return new JavaReader(bytes).read();
  } catch (error) {
    if (error instanceof RangeError) throw new JavaValueError('it ends too early', { cause: error });
    throw error;
  }
}

class JavaReader {
  readonly #bytes: Buffer;
  #at = 4;
  readonly #known: (JsonValue | JavaClass | undefined)[] = [];
  /** What each of them counts. */
  readonly #weights: number[] = [];
  #depth = 0;
  #items = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(): JsonValue {
    if (this.#bytes.readUInt32BE(0) !== 0xaced0005)
      throw new JavaValueError('nothing that Java has serialized');
    return this.#value();
  }

  #byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  #int(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  /** As Java writes texts: zeros and characters beyond the first plane take other bytes, which few have. */
  #text(length = this.#short()): string {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('A text is cut off');
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end;
    return text;
  }

  #short(): number {
    this.#at += 2;
    return this.#bytes.readUInt16BE(this.#at - 2);
  }

  #value(): JsonValue {
    if (++this.#depth > MOST_DEEP) throw new JavaValueError('nested too deeply');
    this.#count(1);
    try {
      return this.#anyOf(this.#byte());
    } finally {
      this.#depth--;
    }
  }

  #count(items: number): void {
    this.#items += items;
    if (this.#items > MOST_ITEMS) throw new JavaValueError('too many values');
  }

  /** What others may refer to later, and not while it is read. */
  #know(read: () => JsonValue): JsonValue {
    const at = this.#known.push(undefined) - 1;
    const before = this.#items;
    const value = read();
    this.#known[at] = value;
    this.#weights[at] = this.#items - before;
    return value;
  }

  #anyOf(kind: number): JsonValue {
    if (kind === NULL) return null;
    if (kind === REFERENCE) {
      const at = this.#int() - FIRST_HANDLE;
      const known = this.#known[at];
      if (known === undefined || isClass(known)) throw new JavaValueError('a list or map that holds itself');
      this.#count(this.#weights[at] ?? 0);
      return known;
    }
    if (kind === STRING || kind === LONG_STRING) {
      const text = kind === STRING ? this.#text() : this.#text(Number(this.#long()));
      return this.#know(() => {
        this.#count(Math.ceil(text.length / CHARACTERS));
        return text;
      });
    }
    if (kind === OBJECT) return this.#object();
    if (kind === ARRAY) return this.#array();
    if (kind === ENUM) {
      this.#class();
      return this.#know(() => this.#value());
    }
    throw new JavaValueError(`something of the kind ${kind}`);
  }

  #long(): bigint {
    this.#at += 8;
    return this.#bytes.readBigInt64BE(this.#at - 8);
  }

  #object(): JsonValue {
    const type = this.#class();
    if (type === undefined) throw new JavaValueError('an object without a class');
    return this.#know(() => this.#fill(type));
  }

  #fill(type: JavaClass): JsonValue {
    const line: JavaClass[] = [];
    for (let each: JavaClass | undefined = type; each !== undefined; each = each.parent) line.unshift(each);
    const fields = new Map<string, JsonValue>();
    const own: JsonValue[] = [];
    const read = READERS[type.name];
    if (read === undefined) throw new JavaValueError(`an object of the class ${type.name}`);
    for (const each of line) {
      for (const { name, type: kind } of each.fields) fields.set(name, this.#field(kind));
      if (each.writesMore) own.push(...this.#rest());
    }
    return read(fields, own);
  }

  /** What an object writes itself: numbers as the bytes of blocks, and values. */
  #rest(): JsonValue[] {
    const found: JsonValue[] = [];
    for (;;) {
      const kind = this.#byte();
      if (kind === END) return found;
      if (kind === BLOCK || kind === LONG_BLOCK) {
        const length = kind === BLOCK ? this.#byte() : this.#int();
        found.push({ [BLOCK_MEMBER]: this.#bytes.toString('hex', this.#at, this.#at + length) });
        this.#at += length;
      } else {
        this.#at--;
        found.push(this.#value());
      }
    }
  }

  #field(kind: string): JsonValue {
    switch (kind) {
      case 'B':
        return this.#bytes.readInt8(this.#at++);
      case 'C':
        return String.fromCharCode(this.#short());
      case 'D':
        this.#at += 8;
        return finite(this.#bytes.readDoubleBE(this.#at - 8));
      case 'F':
        this.#at += 4;
        return finite(this.#bytes.readFloatBE(this.#at - 4));
      case 'I':
        return this.#int();
      case 'J':
        return whole(this.#long());
      case 'S':
        this.#at += 2;
        return this.#bytes.readInt16BE(this.#at - 2);
      case 'Z':
        return this.#byte() !== 0;
      default:
        return this.#value();
    }
  }

  #array(): JsonValue {
    const type = this.#class();
    const kind = type?.name.slice(1, 2) ?? '';
    if (type?.name === '[B') throw new JavaValueError('bytes');
    const length = this.#int();
    if (length < 0 || length > MOST_ITEMS) throw new JavaValueError('too many values');
    return this.#know(() => {
      const list: JsonValue[] = [];
      for (let index = 0; index < length; index++) list.push(this.#field(kind));
      return list;
    });
  }

  #class(): JavaClass | undefined {
    const kind = this.#byte();
    if (kind === NULL) return undefined;
    if (kind === REFERENCE) {
      const known = this.#known[this.#int() - FIRST_HANDLE];
      if (isClass(known)) return known;
    }
    if (kind !== CLASS) throw new JavaValueError('an object without a class');
    const name = this.#text();
    this.#at += 8;
    const at = this.#known.push(undefined) - 1;
    const flags = this.#byte();
    const fields = Array.from({ length: this.#short() }, () => {
      const type = String.fromCharCode(this.#byte());
      const field = { type, name: this.#text() };
      if (type === 'L' || type === '[') this.#value();
      return field;
    });
    this.#rest();
    const described = { name, writesMore: (flags & WRITES_MORE) !== 0, fields, parent: this.#class() };
    this.#known[at] = described;
    return described;
  }
}

function isClass(value: JsonValue | JavaClass | undefined): value is JavaClass {
  return typeof value === 'object' && value !== null && 'writesMore' in value;
}

const BLOCK_MEMBER = '\u0000block';
const isBlock = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && BLOCK_MEMBER in value;

type Read = (fields: ReadonlyMap<string, JsonValue>, own: readonly JsonValue[]) => JsonValue;

const boxed: Read = (fields) => fields.get('value') ?? null;
const values = (own: readonly JsonValue[]) => own.filter((value) => !isBlock(value));
const list: Read = (_fields, own) => values(own);
const nothing =
  (value: JsonValue): Read =>
  () =>
    value;
const map: Read = (_fields, own) => {
  const entries = values(own);
  const object: JsonObject = {};
  for (let at = 0; at + 1 < entries.length; at += 2) {
    const key = entries[at];
    if (typeof key === 'object') throw new JavaValueError('a map whose keys are no texts');
    setMember(object, String(key), entries[at + 1] ?? null);
  }
  return object;
};

/** What is made of the fields of an object, and of what it writes itself, by the names of classes. */
const READERS: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    ['Integer', 'Long', 'Short', 'Byte', 'Double', 'Float', 'Boolean', 'Character'].map((name) => [
      `java.lang.${name}`,
      boxed,
    ]),
  ),
  'java.util.ArrayList': list,
  'java.util.LinkedList': list,
  'java.util.HashSet': list,
  'java.util.LinkedHashSet': list,
  'java.util.Arrays$ArrayList': (fields) => fields.get('a') ?? [],
  'java.util.Collections$EmptyList': nothing([]),
  'java.util.Collections$EmptySet': nothing([]),
  'java.util.Collections$EmptyMap': nothing({}),
  'java.util.Collections$SingletonList': (fields) => [fields.get('element') ?? null],
  'java.util.HashMap': map,
  'java.util.LinkedHashMap': map,
  'java.util.TreeMap': map,
  'java.util.Date': (_fields, own) => {
    const [block] = own;
    const hex = isBlock(block) ? block[BLOCK_MEMBER] : undefined;
    return typeof hex === 'string' ? whole(BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`))) : null;
  },
};

function whole(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new JavaValueError(`the number ${value}, which JSON cannot hold`);
  return number;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new JavaValueError('a number that is none');
  return value;
}
