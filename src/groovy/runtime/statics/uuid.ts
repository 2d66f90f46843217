import { hexText } from '../bytes.ts';
import { digest } from '../digest.ts';
import { compareText } from '../equality.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { illegalArgument } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { randomBytes } from './random.ts';

const UUID_CLASS = classNamed('java.util.UUID');

class Uuid extends JavaObject {
  readonly type: JavaClass = UUID_CLASS;
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

export function randomUuid(): Uuid {
  const hex = hexText(randomBytes(16));
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return new Uuid(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`,
  );
}

defineStatics('java.util.UUID', {
  'randomUUID/0': randomUuid,
  'fromString/1': (text: unknown) => {
    const parts = toText(text).split('-');
    if (parts.length !== 5 || !parts.every((part) => /^[\da-f]+$/i.test(part)))
      throw illegalArgument(`Invalid UUID string: ${toText(text)}`);
    return new Uuid(
      parts.map((part, at) => part.toLowerCase().padStart([8, 4, 4, 4, 12][at]!, '0')).join('-'),
    );
  },
  'nameUUIDFromBytes/1': (bytes: unknown[]) => {
    const hex = digest('MD5', bytes, 'hex');
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
