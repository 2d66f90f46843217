import type { Database } from '#database/index.ts';
import { type RouteHandler, resource, singleton } from '#resource/index.ts';
import { listRingKeys } from './ring-key-repository.ts';

/**
 * `/security/keystore` and `/security/truststore`, as clients of the field read them: the aliases of the key ring. There are no
 * certificates in it, and keys are added where it lies (`svc keys`).
 */
export function keystoreResource({ db }: Database, store: 'keystore' | 'truststore'): RouteHandler {
  return singleton({
    description: { title: store },
    async read() {
      const keys = store === 'keystore' ? await listRingKeys(db) : [];
      const aliases = [...new Set(keys.map(({ alias }) => alias))];
      return resource('', null, { type: 'keys.json', provider: 'svc', aliases });
    },
  });
}
