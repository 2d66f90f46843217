import type { Db } from '#database/index.ts';
import { networkOf } from '#resource/index.ts';
import { forgetFailures } from './login-failure-repository.ts';
import { accountKey } from './login-throttle.ts';

/** An account, or an address. */
export type Locked = { readonly userName: string } | { readonly address: string };

/** Forgets failed logins of an account, or from an address. @returns how many counts there were */
export function unlock(db: Db, whom: Locked): Promise<number> {
  return forgetFailures(
    db,
    'userName' in whom ? { account: accountKey(whom.userName) } : { network: networkOf(whom.address) },
  );
}
