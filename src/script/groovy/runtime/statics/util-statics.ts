import { toInt, toNumber } from '../arithmetic.ts';
import { byteArray, bytesOf, decodeBase64, encodeBase64, hexText } from '../bytes.ts';
import { asInterface, listOfKind, MAP_KINDS, orderOf, SET_KINDS } from '../casting.ts';
import { Closure, call0, call1, closureOf } from '../closure.ts';
import { type Order, orderBy } from '../collecting.ts';
import { call } from '../dispatch.ts';
import { outside } from '../dispatch-port.ts';
import { compare, compareText, equal, javaEquals } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { frozen } from '../methods/collection-methods.ts';
import { frozenMap, mapOfKind } from '../methods/map-methods.ts';
import { numeric } from '../methods/number-methods.ts';
import { hashCode } from '../methods/object-methods.ts';
import { textOf, toText } from '../text.ts';
import { exception, illegalArgument, noSuchElement, nullPointer } from '../throwable.ts';
import { truth } from '../truth.ts';
import { Double, Entry, JavaObject, type List, listKind, markList } from '../values.ts';

for (const name of ['ArrayList', 'LinkedList', 'Stack', 'Vector', 'ArrayDeque']) {
  defineStatics(`java.util.${name}`, {
    'new/0-1': (items?: unknown) =>
      listOfKind(items === undefined || typeof items === 'number' ? [] : listOf(items), `java.util.${name}`),
  });
}
for (const name of ['HashSet', 'LinkedHashSet', 'TreeSet']) {
  const full = `java.util.${name}`;
  defineStatics(full, {
    'new/0-1': (items?: unknown) => {
      if (items instanceof Closure || items instanceof Comparator)
        return new JavaSet(SET_KINDS[full], orderBy(items));
      return setOf(
        items === undefined || typeof items === 'number' ? [] : listOf(items),
        SET_KINDS[full],
        orderOf(name),
      );
    },
  });
}
for (const full of Object.keys(MAP_KINDS).filter((name) => name !== 'java.util.SortedMap')) {
  defineStatics(full, {
    'new/0-2': (source?: unknown) => {
      if (source instanceof Closure || source instanceof Comparator)
        return new JavaMap(MAP_KINDS[full], orderBy(source));
      return mapOfKind(full, source instanceof JavaMap ? source.list() : []);
    },
  });
}
defineStatics('java.util.AbstractMap$SimpleEntry', {
  'new/2': (key: unknown, value: unknown) => new Entry(key, value),
});
defineStatics('java.util.Map', {
  'of/0+': (...parts: unknown[]) => {
    const map = new JavaMap('HashMap');
    for (let at = 0; at + 1 < parts.length; at += 2) map.put(parts[at], parts[at + 1]);
    return frozenMap(map);
  },
  'entry/2': (key: unknown, value: unknown) => new Entry(key, value),
  'copyOf/1': frozenMap,
});
defineStatics('java.util.Map$Entry', {
  'comparingByKey/0': () =>
    new Comparator((left, right) => compare((left as Entry).key, (right as Entry).key)),
  'comparingByValue/0': () =>
    new Comparator((left, right) => compare((left as Entry).value, (right as Entry).value)),
});
const unpack = (items: unknown[]) =>
  items.length === 1 && Array.isArray(items[0]) && listKind(items[0])?.element !== undefined
    ? items[0]
    : items;
defineStatics('java.util.List', {
  'of/0+': (...items: unknown[]) => frozen(unpack(items)),
  'copyOf/1': frozen,
});
defineStatics('java.util.Set', {
  'of/0+': (...items: unknown[]) => frozen(setOf(unpack(items))),
  'copyOf/1': (items: unknown) => frozen(setOf(listOf(items))),
});

/** An order as an object. */
export class Comparator extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.Comparator');
  readonly order: Order;

  constructor(order: Order) {
    super();
    this.order = order;
  }
}

asInterface.make = (closure, type) =>
  type.name === 'java.util.Comparator' ? new Comparator(orderBy(closure)) : closure;

function comparing(fn: unknown, order: unknown): Comparator {
  const by = orderBy(order);
  return new Comparator((left, right) => by(call1(fn, left), call1(fn, right)));
}

defineStatics('java.util.Comparator', {
  'comparing/1-2': comparing,
  'comparingInt/1': comparing,
  'comparingLong/1': comparing,
  'comparingDouble/1': comparing,
  'naturalOrder/0': () => new Comparator(compare),
  'reverseOrder/0': () => new Comparator((left, right) => compare(right, left)),
});
defineMethods('java.util.Comparator', 'java.lang.Object', {
  'compare/2': (self: Comparator, left: unknown, right: unknown) => self.order(left, right),
  'reversed/0': (self: Comparator) => new Comparator((left, right) => self.order(right, left)),
  'thenComparing/1-2': (self: Comparator, fn: unknown) => {
    const next = fn instanceof Comparator ? fn.order : orderBy(fn);
    return new Comparator((left, right) => self.order(left, right) || next(left, right));
  },
});

function call2Sort(items: unknown, order?: unknown): null {
  call(
    items,
    'sort',
    order === undefined
      ? []
      : [order instanceof Closure ? order : closureOf(2, 2, (left, right) => orderBy(order)(left, right))],
  );
  return null;
}

defineStatics(
  'java.util.Collections',
  {
    'emptyList/0': () => frozen([]),
    'emptyMap/0': () => new JavaMap('UnmodifiableMap'),
    'emptySet/0': () => new JavaSet('UnmodifiableSet'),
    'singletonList/1': (item: unknown) => frozen([item]),
    'singleton/1': (item: unknown) => frozen(setOf([item])),
    'singletonMap/2': (key: unknown, value: unknown) => frozenMap(mapOfKind('', [new Entry(key, value)])),
    'unmodifiableList/1': frozen,
    'unmodifiableCollection/1': frozen,
    'unmodifiableSet/1': frozen,
    'unmodifiableMap/1': frozenMap,
    'synchronizedList/1': (list: unknown) => list,
    'synchronizedMap/1': (map: unknown) => map,
    'sort/1-2': call2Sort,
    'reverse/1': (list: unknown) => call(list, 'reverse', [true]) && null,
    'shuffle/1-2': (list: unknown) => call(list, 'shuffle', []),
    'swap/3': (list: unknown, first: unknown, second: unknown) => call(list, 'swap', [first, second]) && null,
    'max/1-2': (items: unknown, order?: unknown) => call(items, 'max', order === undefined ? [] : [order]),
    'min/1-2': (items: unknown, order?: unknown) => call(items, 'min', order === undefined ? [] : [order]),
    'frequency/2': (items: unknown, value: unknown) =>
      listOf(items).filter((item) => javaEquals(item, value)).length,
    'nCopies/2': (count: unknown, value: unknown) =>
      frozen(Array.from({ length: toInt(numeric(count)) }, () => value)),
    'addAll/2+': (list: unknown, ...items: unknown[]) => call(list, 'addAll', [unpack(items)]),
    'reverseOrder/0-1': (order?: unknown) => new Comparator((left, right) => orderBy(order)(right, left)),
    'disjoint/2': (left: unknown, right: unknown) => call(left, 'disjoint', [right]),
    'binarySearch/2-3': (list: unknown, key: unknown) => call(list, 'binarySearch', [key]),
  },
  {},
);
defineStatics('java.util.Arrays', {
  'asList/0+': (...items: unknown[]) =>
    markList([...unpack(items)], { name: 'Arrays$ArrayList', isFixed: true, isReadOnly: false }),
  'sort/1-2': call2Sort,
  'toString/1': toText,
  'equals/2': equal,
  'fill/2': (list: unknown[], value: unknown) => list.fill(value) && null,
  'copyOf/2': (list: List, length: number) => resized(list, 0, length),
  'copyOfRange/3': (list: List, from: number, to: number) => resized(list, from, to),
  'stream/1': (list: unknown) => call(list, 'stream', []),
  'hashCode/1': hashCode,
});

function resized(list: List, from: number, to: number): unknown[] {
  const items = Array.from({ length: to - from }, (_, at) => list[from + at] ?? null);
  const element = listKind(list)?.element;
  return element === undefined ? items : markList(items, listKind(list)!);
}

defineStatics('java.util.Objects', {
  'equals/2': (left: unknown, right: unknown) =>
    left === right || (left !== null && call(left, 'equals', [right]) === true),
  'hash/0+': (...values: unknown[]) =>
    values.reduce<number>(
      (hash, value) =>
        (Math.imul(31, hash) + (value === null ? 0 : (call(value, 'hashCode', []) as number))) | 0,
      1,
    ),
  'hashCode/1': (value: unknown) => (value === null ? 0 : call(value, 'hashCode', [])),
  'toString/1-2': (value: unknown, byDefault?: unknown) =>
    value === null && byDefault !== undefined ? byDefault : toText(value),
  'isNull/1': (value: unknown) => value === null,
  'nonNull/1': (value: unknown) => value !== null,
  'requireNonNull/1-2': (value: unknown, message: unknown = null) => {
    if (value === null) throw nullPointer(message === null ? (null as never) : toText(message));
    return value;
  },
  'requireNonNullElse/2': (value: unknown, other: unknown) => value ?? other,
  'compare/3': (left: unknown, right: unknown, order: unknown) => orderBy(order)(left, right),
});

class Optional extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.Optional');
  readonly value: unknown;

  constructor(value: unknown) {
    super();
    this.value = value;
  }

  override toText(): string {
    return this.value === null ? 'Optional.empty' : `Optional[${toText(this.value)}]`;
  }

  override key(): unknown {
    return hashCode(this.value);
  }
}

export function optional(value: unknown): JavaObject {
  return new Optional(value ?? null);
}

defineStatics('java.util.Optional', {
  'of/1': (value: unknown) => {
    if (value === null) throw nullPointer(null as never);
    return optional(value);
  },
  'ofNullable/1': optional,
  'empty/0': () => optional(null),
});
defineMethods('java.util.Optional', 'java.lang.Object', {
  'isPresent/0': (self: Optional) => self.value !== null,
  'isEmpty/0': (self: Optional) => self.value === null,
  'asBoolean/0': (self: Optional) => self.value !== null,
  'get/0': (self: Optional) => {
    if (self.value === null) throw noSuchElement('No value present');
    return self.value;
  },
  'orElse/1': (self: Optional, other: unknown) => self.value ?? other,
  'orElseGet/1': (self: Optional, fn: unknown) => self.value ?? call0(fn),
  'orElseThrow/0-1': (self: Optional, fn?: unknown) => {
    if (self.value !== null) return self.value;
    throw fn === undefined ? noSuchElement('No value present') : call0(fn);
  },
  'map/1': (self: Optional, fn: unknown) => (self.value === null ? self : optional(call1(fn, self.value))),
  'flatMap/1': (self: Optional, fn: unknown) => (self.value === null ? self : call1(fn, self.value)),
  'filter/1': (self: Optional, fn: unknown) =>
    self.value === null || truth(call1(fn, self.value)) ? self : optional(null),
  'ifPresent/1': (self: Optional, fn: unknown) =>
    self.value === null || call1(fn, self.value) === undefined ? null : null,
});

class Uuid extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.UUID');
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override toText(): string {
    return this.text;
  }

  override key(): unknown {
    return this.text;
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof Uuid ? compareText(this.text, other.text) : undefined;
  }
}

defineStatics('java.util.UUID', {
  'randomUUID/0': () => {
    const hex = hexText(randomBytes(16));
    const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
    return new Uuid(
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`,
    );
  },
  'fromString/1': (text: unknown) => {
    const parts = toText(text).split('-');
    if (parts.length !== 5 || !parts.every((part) => /^[\da-f]+$/i.test(part)))
      throw illegalArgument(`Invalid UUID string: ${toText(text)}`);
    return new Uuid(
      parts.map((part, at) => part.toLowerCase().padStart([8, 4, 4, 4, 12][at]!, '0')).join('-'),
    );
  },
  'nameUUIDFromBytes/1': (bytes: unknown[]) => {
    const hex = String(outside.host('groovy.digest', 'MD5', encodeBase64(bytes), 'hex'));
    const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
    return new Uuid(
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-3${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20)}`,
    );
  },
});
defineMethods('java.util.UUID', 'java.lang.Object', {
  'version/0': (self: Uuid) => Number(self.text[14]),
  'getMostSignificantBits/0': (self: Uuid) =>
    BigInt.asIntN(64, BigInt(`0x${self.text.replaceAll('-', '').slice(0, 16)}`)),
  'getLeastSignificantBits/0': (self: Uuid) =>
    BigInt.asIntN(64, BigInt(`0x${self.text.replaceAll('-', '').slice(16)}`)),
});

/** From the host: what the sandbox has itself is good enough for dice only. */
function randomBytes(count: number): unknown[] {
  return decodeBase64(String(outside.host('groovy.random', count)));
}

/** Java's generator, so that a seed gives the numbers that it gives there. */
class Random extends JavaObject {
  readonly type: JavaClass;
  #seed: bigint;
  readonly isSecure: boolean;

  constructor(seed: bigint, isSecure: boolean) {
    super();
    this.type = classNamed(isSecure ? 'java.security.SecureRandom' : 'java.util.Random');
    this.#seed = (seed ^ 0x5deece66dn) & 0xffffffffffffn;
    this.isSecure = isSecure;
  }

  next(bits: number): number {
    if (this.isSecure) {
      const bytes = randomBytes(4).map((byte) => toInt(byte as never) & 0xff);
      return (((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) >>> (32 - bits)) | 0;
    }
    this.#seed = (this.#seed * 0x5deece66dn + 0xbn) & 0xffffffffffffn;
    return Number(BigInt.asIntN(32, this.#seed >> BigInt(48 - bits)));
  }

  nextInt(bound: number): number {
    if (bound <= 0) throw illegalArgument('bound must be positive');
    if ((bound & -bound) === bound) return Number((BigInt(bound) * BigInt(this.next(31))) >> 31n);
    for (;;) {
      const bits = this.next(31);
      const value = bits % bound;
      if (bits - value + (bound - 1) <= 2_147_483_647) return value;
    }
  }

  nextDouble(): number {
    return (this.next(26) * 2 ** 27 + this.next(27)) / 2 ** 53;
  }
}

for (const [name, isSecure] of [
  ['java.util.Random', false],
  ['java.security.SecureRandom', true],
] as const) {
  defineStatics(name, {
    'new/0-1': (seed?: unknown) =>
      new Random(
        seed === undefined
          ? BigInt(Math.floor(Math.random() * 2 ** 48))
          : BigInt(Math.trunc(toNumber(numeric(seed)))),
        isSecure,
      ),
  });
}
defineMethods('java.util.Random', 'java.lang.Object', {
  'nextInt/0-2': (self: Random, first?: unknown, second?: unknown) => {
    if (first === undefined) return self.next(32);
    if (second === undefined) return self.nextInt(toInt(numeric(first)));
    return toInt(numeric(first)) + self.nextInt(toInt(numeric(second)) - toInt(numeric(first)));
  },
  'nextLong/0': (self: Random) => BigInt.asIntN(64, (BigInt(self.next(32)) << 32n) + BigInt(self.next(32))),
  'nextBoolean/0': (self: Random) => self.next(1) !== 0,
  'nextDouble/0': (self: Random) => new Double(self.nextDouble()),
  'nextFloat/0': (self: Random) => call(new Double(self.next(24) / 2 ** 24), 'toFloat', []),
  'nextBytes/1': (self: Random, target: unknown[]) => {
    const bytes = byteArray(target.map(() => self.nextInt(256)));
    for (const [at, byte] of bytes.entries()) target[at] = byte;
    return null;
  },
});

class Coder extends JavaObject {
  readonly type: JavaClass;
  readonly isUrl: boolean;
  readonly isPadded: boolean;

  constructor(name: 'Encoder' | 'Decoder', isUrl: boolean, isPadded = true) {
    super();
    this.type = classNamed(`java.util.Base64$${name}`);
    this.isUrl = isUrl;
    this.isPadded = isPadded;
  }
}

const bytesIn = (value: unknown): readonly unknown[] =>
  textOf(value) === undefined ? listOf(value) : bytesOf(toText(value));
defineStatics('java.util.Base64', {
  'getEncoder/0': () => new Coder('Encoder', false),
  'getUrlEncoder/0': () => new Coder('Encoder', true),
  'getMimeEncoder/0': () => new Coder('Encoder', false),
  'getDecoder/0': () => new Coder('Decoder', false),
  'getUrlDecoder/0': () => new Coder('Decoder', true),
  'getMimeDecoder/0': () => new Coder('Decoder', false),
});
defineMethods('java.util.Base64$Encoder', 'java.lang.Object', {
  'encodeToString/1': (self: Coder, bytes: unknown) =>
    encodeBase64(bytesIn(bytes), self.isUrl, self.isPadded),
  'encode/1': (self: Coder, bytes: unknown) =>
    bytesOf(encodeBase64(bytesIn(bytes), self.isUrl, self.isPadded)),
  'withoutPadding/0': (self: Coder) => new Coder('Encoder', self.isUrl, false),
});
defineMethods('java.util.Base64$Decoder', 'java.lang.Object', {
  'decode/1': (_self: Coder, value: unknown) =>
    decodeBase64(
      textOf(value) ??
        listOf(value)
          .map((byte) => String.fromCharCode(toInt(byte as never)))
          .join(''),
    ),
});
defineMethods('array', 'java.util.List', {
  'encodeBase64/0-1': (self: unknown[]) => encodeBase64(self),
  'encodeBase64Url/0': (self: unknown[]) => encodeBase64(self, true, false),
  'encodeHex/0': (self: unknown[]) => hexText(self),
  'md5/0': (self: unknown[]) => outside.host('groovy.digest', 'MD5', encodeBase64(self), 'hex'),
  'sha256/0': (self: unknown[]) => outside.host('groovy.digest', 'SHA-256', encodeBase64(self), 'hex'),
  'digest/1': (self: unknown[], algorithm: unknown) =>
    outside.host('groovy.digest', toText(algorithm), encodeBase64(self), 'hex'),
});

class Digest extends JavaObject {
  readonly type: JavaClass = classNamed('java.security.MessageDigest');
  readonly algorithm: string;
  bytes: unknown[] = [];

  constructor(algorithm: string) {
    super();
    this.algorithm = algorithm;
  }
}

defineStatics('java.security.MessageDigest', {
  'getInstance/1': (name: unknown) => {
    if (!/^(?:MD5|SHA-?(?:1|224|256|384|512))$/i.test(toText(name))) {
      throw exception(
        'java.security.NoSuchAlgorithmException',
        `${toText(name)} MessageDigest not available`,
      );
    }
    return new Digest(toText(name));
  },
});
defineMethods('java.security.MessageDigest', 'java.lang.Object', {
  'update/1': (self: Digest, bytes: unknown) => {
    self.bytes.push(...bytesIn(bytes));
    return self;
  },
  'digest/0-1': (self: Digest, bytes?: unknown) => {
    const all = bytes === undefined ? self.bytes : [...self.bytes, ...bytesIn(bytes)];
    self.bytes = [];
    return decodeBase64(String(outside.host('groovy.digest', self.algorithm, encodeBase64(all), 'base64')));
  },
});

const SAFE = /[A-Za-z0-9.*_-]/;
defineStatics('java.net.URLEncoder', {
  'encode/1-2': (text: unknown) =>
    [...toText(text)].map((char) => (SAFE.test(char) ? char : char === ' ' ? '+' : percent(char))).join(''),
});
defineStatics('java.net.URLDecoder', {
  'decode/1-2': (text: unknown) => {
    try {
      return decodeURIComponent(toText(text).replaceAll('+', ' '));
    } catch {
      throw illegalArgument('URLDecoder: Illegal hex characters in escape (%) pattern');
    }
  },
});

function percent(char: string): string {
  return hexText(bytesOf(char)).toUpperCase().replace(/../g, '%$&');
}

class Named extends JavaObject {
  readonly type: JavaClass;
  readonly name: string;

  constructor(type: string, name: string) {
    super();
    this.type = classNamed(type);
    this.name = name;
  }

  override toText(): string {
    return this.name;
  }

  override key(): unknown {
    return this.name;
  }
}

const charset = (name: unknown) => new Named('java.nio.charset.Charset', toText(name));
defineStatics('java.nio.charset.Charset', {
  'forName/1': charset,
  'defaultCharset/0': () => charset('UTF-8'),
});
defineMethods('java.nio.charset.Charset', 'java.lang.Object', { 'name/0': (self: Named) => self.name });
defineStatics(
  'java.nio.charset.StandardCharsets',
  {},
  { UTF_8: charset('UTF-8'), US_ASCII: charset('US-ASCII'), ISO_8859_1: charset('ISO-8859-1') },
);

const locale = (name: string) => new Named('java.util.Locale', name);
defineStatics(
  'java.util.Locale',
  {
    'new/1-3': (...parts: unknown[]) => locale(parts.map(toText).join('_')),
    'getDefault/0': () => locale('en_US'),
    'forLanguageTag/1': (tag: unknown) => locale(toText(tag).replace('-', '_')),
  },
  {
    US: locale('en_US'),
    ENGLISH: locale('en'),
    UK: locale('en_GB'),
    ROOT: locale(''),
    GERMANY: locale('de_DE'),
    FRANCE: locale('fr_FR'),
  },
);
defineMethods('java.util.Locale', 'java.lang.Object', {
  'getLanguage/0': (self: Named) => self.name.split('_')[0],
});

class StringJoiner extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.StringJoiner');
  readonly parts: string[] = [];
  readonly #frame: readonly string[];

  constructor(frame: readonly string[]) {
    super();
    this.#frame = frame;
  }

  override toText(): string {
    const [separator = '', prefix = '', suffix = ''] = this.#frame;
    return prefix + this.parts.join(separator) + suffix;
  }
}

defineStatics('java.util.StringJoiner', {
  'new/1-3': (...frame: unknown[]) => new StringJoiner(frame.map(toText)),
});
defineMethods('java.util.StringJoiner', 'java.lang.Object', {
  'add/1': (self: StringJoiner, part: unknown) => {
    self.parts.push(toText(part));
    return self;
  },
  'length/0': (self: StringJoiner) => self.toText().length,
});
