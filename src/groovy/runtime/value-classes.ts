import { Closure } from './closure.ts';
import { JavaClass } from './java-class.ts';
import { BigDecimal, BigInteger, Byte, Char, Double, Entry, Float, GString, Short } from './values.ts';

/** A class of ours whose objects all are of one Java class. */
export interface ValueClass {
  readonly make: abstract new (...args: never[]) => object;
  readonly javaName: string;
  /** Java's hash of a value that consists of nothing else. */
  readonly hash?: (value: never) => number;
}

function valueClass<T extends object>(
  make: abstract new (...args: never[]) => T,
  javaName: string,
  hash?: (value: T) => number,
): ValueClass {
  return hash === undefined ? { make, javaName } : { make, javaName, hash };
}

export const VALUE_CLASSES: readonly ValueClass[] = [
  valueClass(BigDecimal, 'java.math.BigDecimal', hashOfDecimal),
  valueClass(Double, 'java.lang.Double', ({ value }) => hashOfDouble(value)),
  valueClass(GString, 'org.codehaus.groovy.runtime.GStringImpl'),
  valueClass(Closure, 'groovy.lang.Closure'),
  valueClass(BigInteger, 'java.math.BigInteger', ({ value }) => hashOfInteger(value)),
  valueClass(Entry, 'java.util.AbstractMap$SimpleEntry'),
  valueClass(Char, 'java.lang.Character', ({ code }) => code),
  valueClass(Float, 'java.lang.Float', ({ value }) => new Int32Array(Float32Array.of(value).buffer)[0]!),
  valueClass(Short, 'java.lang.Short', ({ value }) => value),
  valueClass(Byte, 'java.lang.Byte', ({ value }) => value),
  valueClass(JavaClass, 'java.lang.Class'),
];

function hashOfDouble(value: number): number {
  const [low = 0, high = 0] = new Int32Array(Float64Array.of(value).buffer);
  return low ^ high;
}

function hashOfInteger(value: bigint): number {
  const size = value < 0n ? -value : value;
  let hash = 0;
  for (const word of size
    .toString(16)
    .padStart(8, '0')
    .match(/.{1,8}(?=(?:.{8})*$)/g)!)
    hash = (Math.imul(31, hash) + Number.parseInt(word, 16)) | 0;
  return value < 0n ? -hash | 0 : hash;
}

function hashOfDecimal({ unscaled, scale }: BigDecimal): number {
  return (Math.imul(31, hashOfInteger(unscaled)) + scale) | 0;
}
