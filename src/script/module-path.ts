import { posix } from 'node:path';

/**
 * The path of the module that `require` of CommonJS means by a name: `.js` is added when missing; `./` and `../` are relative to the
 * module that requires it.
 *
 * @param requiring the path of that module; '' for a script that is none
 */
export function modulePath(name: string, requiring: string): string {
  const isRelative = name.startsWith('./') || name.startsWith('../');
  const plain = isRelative ? posix.join(posix.dirname(requiring), name) : name;
  return plain.endsWith('.js') ? plain : `${plain}.js`;
}
