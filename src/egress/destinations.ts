import { isIP } from 'node:net';
import { includes, listOf, type Network, parseNetwork, withoutMapping } from './networks.ts';

/** A host by its name, `.example.com` for all hosts below it, an address or a network. */
export type Destination = string;

const NAME =
  /^\.?(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?\.)*[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u;

export function isDestination(text: string): boolean {
  return parseNetwork(text) !== undefined || (NAME.test(text) && !/^\.?[\d.]+$/.test(text));
}

/** The only places that requests of this server go to, as the operator lists them. */
export class Destinations {
  readonly #names: readonly string[];
  readonly #networks;
  readonly #hasNetworks: boolean;

  constructor(listed: readonly Destination[]) {
    const networks: readonly Network[] = listed.filter((entry) => parseNetwork(entry) !== undefined);
    this.#networks = listOf(networks);
    this.#hasNetworks = networks.length > 0;
    this.#names = listed.filter((entry) => parseNetwork(entry) === undefined).map(plainName);
  }

  /** Whether it makes sense to ask where a name leads. */
  mayInclude(host: string): boolean {
    return this.#hasNetworks || this.#includesName(host);
  }

  /** @param host as it was asked for, a name or an address @param address where it leads */
  includes(host: string, address: string): boolean {
    return this.#includesName(host) || includes(this.#networks, withoutMapping(address));
  }

  #includesName(host: string): boolean {
    if (isIP(host) !== 0) return false;
    const plain = plainName(host);
    return this.#names.some((name) => plain === name || (name.startsWith('.') && plain.endsWith(name)));
  }
}

/** The name as it is asked for on the network: in lower case, without the dot at its end, other alphabets in Punycode. */
function plainName(name: string): string {
  const dot = name.startsWith('.') ? '.' : '';
  const host = name.slice(dot.length).replace(/\.$/, '');
  return dot + (URL.parse(`http://${host}`)?.hostname ?? host.toLowerCase());
}
