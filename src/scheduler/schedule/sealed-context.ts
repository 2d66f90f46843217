import {
  type Crypto,
  isEnvelope,
  isSeal,
  openMembers,
  plainSecrets,
  sealMembers,
  secretMembers,
} from '#crypto/index.ts';
import { BadRequestError } from '#errors/index.ts';
import { formatPointer, isObject, partAt } from '#json/index.ts';
import type { ScheduleDefinition } from './schedule.ts';

type WithContext = Pick<ScheduleDefinition, 'invokeContext' | 'sealed'>;

/** The secrets of what schedules are invoked with: encrypted where they are stored, and opened when one fires. */
export interface ContextSeals {
  /** The definition as it is stored. What is encrypted already stays, and is the script's to open. */
  seal<T extends WithContext>(definition: T): Promise<T>;
  /** The definition as it was declared. @throws ResourceError where a key is missing */
  open<T extends WithContext>(definition: T): Promise<T>;
  /** The same for whoever looks at it: what no key opens stays as it is stored. */
  openToShow<T extends WithContext>(definition: T): Promise<T>;
}

export function contextSeals(crypto: Pick<Crypto, 'encrypt' | 'decrypt'>): ContextSeals {
  async function open<T extends WithContext>(stored: T): Promise<T> {
    const { invokeContext: content, sealed: places } = stored;
    if (places === undefined || !isObject(content)) return stored;
    return unmarked({ ...stored, invokeContext: await openMembers(crypto, { content, places }) });
  }
  return {
    async seal(definition) {
      const { invokeContext, sealed } = definition;
      if (sealed !== undefined || !isObject(invokeContext)) return definition;
      const { content, places } = await sealMembers(crypto, invokeContext);
      return places.length === 0 ? definition : { ...definition, invokeContext: content, sealed: places };
    },
    open,
    openToShow: (definition) => open(definition).catch(() => unmarked({ ...definition })),
  };
}

/** The definition without the list of what is encrypted in it. @param copy is changed */
function unmarked<T extends WithContext>(copy: T): T {
  Reflect.deleteProperty(copy, 'sealed');
  return copy;
}

/** Whether a secret of it is not encrypted: it was stored by a version that did not. */
export function isOpen({ sealed, invokeContext }: WithContext): boolean {
  return sealed === undefined && plainSecrets(invokeContext).length > 0;
}

/**
 * Nobody outside of the server has an encrypted value, so one that comes from there is stolen or made up.
 *
 * @throws BadRequestError `CRYPTO_FOREIGN_ENVELOPE`
 */
export function refuseForeignContext({ invokeContext }: WithContext): void {
  const foreign = secretMembers(invokeContext).find((pointer) => {
    const value = partAt(invokeContext, pointer);
    return isEnvelope(value) && !isSeal(value);
  });
  if (foreign === undefined) return;
  const field = formatPointer(['invokeContext', ...foreign]);
  throw new BadRequestError(`'${field}' holds an encrypted value that nobody was shown`, {
    id: 'CRYPTO_FOREIGN_ENVELOPE',
    field,
    hint: 'Send the secret itself; the server shows a seal in its place',
  });
}
