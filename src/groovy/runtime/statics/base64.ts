import { int } from '../arguments.ts';
import { bytesOf, decodeBase64, encodeBase64, hexText } from '../bytes.ts';
import { digest } from '../digest.ts';
import { listOf } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { textOf, toText } from '../text.ts';
import { JavaObject } from '../values.ts';

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

export const bytesIn = (value: unknown): readonly unknown[] =>
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
          .map((byte) => String.fromCharCode(int(byte)))
          .join(''),
    ),
});

defineMethods('array', 'java.util.List', {
  'encodeBase64/0-1': (self: unknown[]) => encodeBase64(self),
  'encodeBase64Url/0': (self: unknown[]) => encodeBase64(self, true, false),
  'encodeHex/0': (self: unknown[]) => hexText(self),
  'md5/0': (self: unknown[]) => digest('MD5', self, 'hex'),
  'sha256/0': (self: unknown[]) => digest('SHA-256', self, 'hex'),
  'digest/1': (self: unknown[], algorithm: unknown) => digest(toText(algorithm), self, 'hex'),
});
