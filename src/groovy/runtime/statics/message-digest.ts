import { decodeBase64 } from '../bytes.ts';
import { checkAlgorithm, digest } from '../digest.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { JavaObject } from '../values.ts';
import { bytesIn } from './base64.ts';

const MESSAGE_DIGEST_CLASS = classNamed('java.security.MessageDigest');

class Digest extends JavaObject {
  readonly type: JavaClass = MESSAGE_DIGEST_CLASS;
  readonly algorithm: string;
  bytes: unknown[] = [];

  constructor(algorithm: string) {
    super();
    this.algorithm = algorithm;
  }
}

defineStatics('java.security.MessageDigest', {
  'getInstance/1': (name: unknown) => {
    checkAlgorithm(toText(name));
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
    return decodeBase64(digest(self.algorithm, all, 'base64'));
  },
});
