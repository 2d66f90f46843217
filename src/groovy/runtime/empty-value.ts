import type { JavaClass } from './java-class.ts';
import { Byte, Char, Double, Float, Short } from './values.ts';

/** What a field or variable of a type holds before anything was put there. */
export function emptyValue(type: JavaClass | undefined): unknown {
  if (type?.form !== 'primitive') return null;
  switch (type.name) {
    case 'boolean':
      return false;
    case 'long':
      return 0n;
    case 'double':
      return new Double(0);
    case 'float':
      return new Float(0);
    case 'short':
      return new Short(0);
    case 'byte':
      return new Byte(0);
    case 'char':
      return new Char('\0');
    default:
      return 0;
  }
}
