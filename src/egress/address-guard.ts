import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { InternalServerError, wordsOf } from '#errors/index.ts';
import { firstOf } from '#json/index.ts';
import { type Destination, Destinations } from './destinations.ts';
import {
  includes,
  isPublic,
  listOf,
  type Network,
  ownAddresses,
  singleAddresses,
  withoutMapping,
} from './networks.ts';

/** Words for a refusal: who is refused, and what to do about it. */
export interface GuardWords {
  /** How the ids of its errors begin: `<area>_DENIED`, `_URL`, `_FAILED`, `_TIMEOUT`. */
  readonly area: string;
  readonly who: string;
  readonly hint: string;
  /** Where the allowed networks are written. */
  readonly place: string;
}

const WORDS: GuardWords = {
  area: 'EGRESS',
  who: 'This server',
  hint: 'The operator can allow the address or its network in SVC_EGRESS_ALLOW',
  place: 'SVC_EGRESS_ALLOW',
};

export interface GuardOptions {
  readonly words?: GuardWords;
  /** Where connections may go at all; undefined: wherever an address is open. */
  readonly only?: readonly Destination[] | undefined;
}

/**
 * Decides where a connection may go, by address and not by name: names can mean anything, and another thing the next
 * time. Public addresses are open; others are where they are allowed. A network that is allowed does not open this
 * machine's own addresses in it: that takes the address itself. Where the operator lists the only places there are, a
 * connection has to go to one of them as well, which names decide, too.
 */
export class AddressGuard {
  readonly #allowed;
  readonly #allowedAlone;
  readonly #only: Destinations | undefined;
  readonly #words: GuardWords;

  /** @throws InternalServerError `EGRESS_BAD_NETWORK` when an allowed network is none */
  constructor(allowed: readonly Network[] = [], { words = WORDS, only }: GuardOptions = {}) {
    try {
      this.#allowed = listOf(allowed);
      this.#allowedAlone = listOf(singleAddresses(allowed));
    } catch (error) {
      throw new InternalServerError(`'${wordsOf(error)}' in ${words.place} is no address or network`, {
        id: 'EGRESS_BAD_NETWORK',
        hint: 'Write it like 10.0.0.7 or 10.0.0.0/8',
      });
    }
    this.#only = only === undefined ? undefined : new Destinations(only);
    this.#words = words;
  }

  get area(): string {
    return this.#words.area;
  }

  isAllowed(address: string): boolean {
    const plain = withoutMapping(address);
    if (includes(this.#allowedAlone, plain)) return true;
    if (!isLoopback(plain) && includes(ownAddresses(), plain)) return false;
    return includes(this.#allowed, plain) || isPublic(plain);
  }

  /** @throws InternalServerError `<area>_DENIED` */
  check(host: string, address: string): void {
    if (this.#only?.includes(host, address) === false) throw this.#unlisted(host);
    if (this.isAllowed(address)) return;
    const shown = host === address ? host : `${host} (${address})`;
    const { area, who, hint } = this.#words;
    throw new InternalServerError(`${who} may not connect to ${shown}`, { id: `${area}_DENIED`, hint });
  }

  #unlisted(host: string): InternalServerError {
    const { area, who } = this.#words;
    return new InternalServerError(`${who} may not connect to ${host}`, {
      id: `${area}_DENIED`,
      hint: 'SVC_EGRESS_ONLY lists where this server connects to; the operator can add the host',
    });
  }

  /**
   * Resolves a name for one connection, which goes to the address that was looked at, and refuses it when any of its
   * addresses is denied.
   */
  readonly lookup: LookupFunction = (host, options, done) => {
    // A name can tell something to whoever answers for it.
    if (this.#only?.mayInclude(host) === false)
      return void process.nextTick(done, this.#unlisted(host), '', 0);
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      try {
        for (const { address } of addresses) this.check(host, address);
      } catch (refusal) {
        return done(refusal as NodeJS.ErrnoException, '', 0);
      }
      if (options.all === true) return done(null, addresses);
      const { address, family } = firstOf(addresses);
      return done(null, address, family);
    });
  };

  /** The address to connect to, for protocols that take no `lookup`. @throws as `check` does, and when there is none */
  resolve(host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (isIP(host) !== 0) this.check(host, host);
      this.lookup(host, {}, (error, address) => (error === null ? resolve(String(address)) : reject(error)));
    });
  }
}

/** Loopback is an interface, too, but whoever allows its network means it. */
function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
