import type { ByteReader } from './byte-reader.ts';
import { KeystoreError } from './keystore-key.ts';

/** The fields of an object; bytes and texts are what keystores hold. */
export type JavaFields = ReadonlyMap<string, unknown>;

interface JavaClass {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly parent: JavaClass | undefined;
}

const MAGIC = 0xaced;
const NULL = 0x70;
const REFERENCE = 0x71;
const CLASS = 0x72;
const OBJECT = 0x73;
const STRING = 0x74;
const ARRAY = 0x75;
const END_OF_BLOCK = 0x78;
const SERIALIZABLE = 0x02;
const FIRST_HANDLE = 0x7e0000;
const SIZES: Readonly<Record<string, number>> = { B: 1, C: 2, D: 8, F: 4, I: 4, J: 8, S: 2, Z: 1 };

/**
 * Reads an object that Java has serialized, and not a byte more, as far as keystores need it: fields of plain objects, with bytes and texts. No
 * class is looked up, and nothing of the object runs.
 *
 * @throws KeystoreError for anything else
 */
export function readJavaObject(bytes: ByteReader): JavaFields {
  const stream = new JavaStream(bytes);
  const value = stream.begin();
  if (value instanceof Map) return value;
  throw new KeystoreError('The keystore holds something else than a key');
}

class JavaStream {
  readonly #bytes: ByteReader;
  readonly #known: unknown[] = [];

  constructor(bytes: ByteReader) {
    this.#bytes = bytes;
  }

  begin(): unknown {
    if (this.#bytes.number(2) !== MAGIC || this.#bytes.number(2) !== 5) {
      throw new KeystoreError('The keystore holds an object of another version of Java');
    }
    return this.#value();
  }

  #value(): unknown {
    const kind = this.#bytes.number(1);
    switch (kind) {
      case NULL:
        return undefined;
      case REFERENCE:
        return this.#known[this.#bytes.number(4) - FIRST_HANDLE];
      case STRING: {
        const text = this.#bytes.text();
        this.#known.push(text);
        return text;
      }
      case OBJECT:
        return this.#object();
      case ARRAY:
        return this.#array();
      default:
        throw new KeystoreError(`The keystore holds an object that cannot be read (${kind})`);
    }
  }

  #object(): JavaFields {
    const type = this.#class();
    const fields = new Map<string, unknown>();
    this.#known.push(fields);
    const line: JavaClass[] = [];
    for (let each = type; each !== undefined; each = each.parent) line.unshift(each);
    for (const field of line.flatMap((each) => each.fields)) {
      const size = SIZES[field.type];
      fields.set(field.name, size === undefined ? this.#value() : this.#bytes.take(size));
    }
    return fields;
  }

  #array(): Buffer {
    const type = this.#class();
    if (type?.name !== '[B') throw new KeystoreError('The keystore holds a list that is none of bytes');
    const at = this.#known.push(undefined) - 1;
    const bytes = this.#bytes.take(this.#bytes.number(4));
    this.#known[at] = bytes;
    return bytes;
  }

  #class(): JavaClass | undefined {
    const kind = this.#bytes.number(1);
    if (kind === NULL) return undefined;
    if (kind === REFERENCE) {
      const known = this.#known[this.#bytes.number(4) - FIRST_HANDLE];
      if (isClass(known)) return known;
    }
    if (kind !== CLASS) throw new KeystoreError('The keystore holds an object without a class');
    const name = this.#bytes.text();
    this.#bytes.take(8);
    const at = this.#known.push(undefined) - 1;
    if (this.#bytes.number(1) !== SERIALIZABLE) {
      throw new KeystoreError(`The keystore holds an object of '${name}', which writes itself`);
    }
    const fields = Array.from({ length: this.#bytes.number(2) }, () => {
      const type = this.#bytes.take(1).toString('latin1');
      const field = { type, name: this.#bytes.text() };
      if (SIZES[type] === undefined) this.#value();
      return field;
    });
    if (this.#bytes.number(1) !== END_OF_BLOCK)
      throw new KeystoreError('The keystore holds a class of its own');
    const described = { name, fields, parent: this.#class() };
    this.#known[at] = described;
    return described;
  }
}

function isClass(value: unknown): value is JavaClass {
  return typeof value === 'object' && value !== null && 'fields' in value;
}
