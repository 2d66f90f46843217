import { BlockList, isIP } from 'node:net';

/** The proxies whose word about callers counts. */
export class TrustedProxies {
  readonly #list = new BlockList();

  /** @param entries addresses, or networks such as `10.0.0.0/8` @throws TypeError for anything else */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (isIP(address) === 0) throw new TypeError(`'${entry}' is neither an address nor a network`);
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  include(address: string): boolean {
    const plain = address.replace(/^::ffff:/, '');
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** The caller's address: the last one in the header that is no proxy of ours, if a proxy of ours sent it. */
export function callerAddress(peer: string, forwarded: string | undefined, proxies: TrustedProxies): string {
  if (forwarded === undefined || !proxies.include(peer)) return peer;
  const hops = forwarded.split(',').map((hop) => hop.trim());
  return hops.findLast((hop) => isIP(hop) !== 0 && !proxies.include(hop)) ?? peer;
}
