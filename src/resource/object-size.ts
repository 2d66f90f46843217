import { PayloadTooLargeError } from '#errors/index.ts';
import { type JsonValue, sizeOf } from '#json/index.ts';

/**
 * The most bytes of what is kept as one: an object, a configuration, a variable of a process. A managed type may say
 * otherwise.
 */
export const MOST_OBJECT_BYTES = 2 ** 22;

/**
 * Refuses what is too large to be kept. What was stored when it might still be larger may be changed, but not grow.
 *
 * @param name of what is stored, such as `managed/user/42`
 * @throws PayloadTooLargeError `OBJECT_TOO_LARGE`
 */
export function requireStorableSize(
  name: string,
  value: JsonValue,
  before: JsonValue = null,
  mostBytes = MOST_OBJECT_BYTES,
): void {
  const { bytes } = sizeOf(value);
  if (bytes <= mostBytes || bytes <= sizeOf(before).bytes) return;
  throw new PayloadTooLargeError(`'${name}' would have ${bytes} bytes; ${mostBytes} are allowed`, {
    id: 'OBJECT_TOO_LARGE',
    hint: "Keep what is large elsewhere; 'maxSize' of a managed type allows its objects another size",
    detail: { bytes, allowed: mostBytes },
  });
}
