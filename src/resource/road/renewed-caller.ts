import { LostRace } from '#database/index.ts';
import type { Context, SecurityContext } from '../context.ts';

/** For so long a request is that of whoever it was when it came in. */
const SURE_MS = 1_000;

/**
 * Who a change is made for. Between the moment at which somebody came in and the commit an account may end, and a right
 * be taken away: what takes long, or runs again, asks anew.
 */
export class RenewedCaller {
  readonly #context: Context;
  #security: SecurityContext;
  #sureAt: number;
  #attempts = 0;

  constructor(context: Context) {
    this.#context = context;
    this.#security = context.security;
    this.#sureAt = context.receivedAt;
  }

  /** The security of the caller as it was last known. */
  get security(): SecurityContext {
    return this.#security;
  }

  /** To be called before each attempt. @throws UnauthorizedError when they may not come in any more */
  async begin(): Promise<SecurityContext> {
    this.#attempts += 1;
    if (this.#attempts > 1 || !this.#isSure) this.#security = await this.#ask();
    return this.#security;
  }

  /** To be called before the commit. @throws LostRace when the rights are others than those that it was done with */
  async end(): Promise<void> {
    if (this.#isSure) return;
    const before = this.#security;
    this.#security = await this.#ask();
    if (!isSame(before, this.#security))
      throw new LostRace('The rights of the caller were changed meanwhile');
  }

  get #isSure(): boolean {
    const passed = Date.now() - this.#sureAt;
    return this.#context.renew === undefined || (passed >= 0 && passed < SURE_MS);
  }

  async #ask(): Promise<SecurityContext> {
    const { renew, client } = this.#context;
    if (renew === undefined || !client.isExternal) return this.#security;
    const askedAt = Date.now();
    const security = await renew();
    this.#sureAt = askedAt;
    return security;
  }
}

function isSame({ authorization: one }: SecurityContext, { authorization: other }: SecurityContext): boolean {
  const roles = new Set(other.roles);
  const hasAll = one.roles.length === other.roles.length && one.roles.every((role) => roles.has(role));
  return one.id === other.id && one.component === other.component && hasAll;
}
