import { int } from '../arguments.ts';
import { toInt, toNumber } from '../arithmetic.ts';
import { byteArray, decodeBase64 } from '../bytes.ts';
import { call } from '../dispatch.ts';
import { outside } from '../dispatch-port.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { illegalArgument } from '../throwable.ts';
import { Double, JavaObject } from '../values.ts';

/** Random bytes from the host: what the sandbox has itself is good enough for dice only. */
export function randomBytes(count: number): unknown[] {
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
      const bytes = randomBytes(4).map((byte) => int(byte) & 0xff);
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
