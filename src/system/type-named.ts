import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { SystemObjectType } from './object-type.ts';
import type { System } from './system.ts';

/** @throws NotFoundError `SYSTEM_NO_TYPE` */
export function typeNamed(system: System, name: string): SystemObjectType {
  const type = system.types.get(name);
  if (type !== undefined) return type;
  const names = [...system.types.keys()];
  throw new NotFoundError(`'${system.name}' has no type '${name.slice(0, 100)}'`, {
    id: 'SYSTEM_NO_TYPE',
    hint: didYouMean(name, names) ?? `It has ${names.join(', ') || 'none'}`,
  });
}
