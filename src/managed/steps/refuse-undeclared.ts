import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { Exchange } from '../exchange.ts';

/**
 * A type whose schema says `"additionalProperties": false` takes no property that it does not declare. What was stored
 * before it said so may stay.
 */
export function refuseUndeclared({ before, object, type }: Exchange): void {
  const unknown = Object.keys(object).find(
    (name) => !type.compiled.has(name) && !name.startsWith('_') && !Object.hasOwn(before ?? {}, name),
  );
  if (unknown === undefined) return;
  const names = [...type.compiled.keys()].filter((name) => !type.privates.has(name));
  throw new BadRequestError(`'${unknown}' is no property of managed/${type.name}`, {
    id: 'MANAGED_UNKNOWN_PROPERTY',
    field: `/${unknown}`,
    hint: didYouMean(unknown, names) ?? `Its properties are ${names.join(', ')}`,
  });
}
refuseUndeclared.applies = ({ edit, isCheck, type }: Exchange) => edit === null && !isCheck && type.isClosed;
