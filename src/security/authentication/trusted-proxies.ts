import { BlockList } from 'node:net';
import { familyOf } from '#resource/index.ts';

/** The proxies whose word about callers counts. */
export class TrustedProxies {
  readonly #list = new BlockList();

  /** @param entries addresses, or networks such as `10.0.0.0/8` @throws TypeError for anything else */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      const family = familyOf(address);
      if (family === undefined) throw new TypeError(`'${entry}' is neither an address nor a network`);
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  include(address: string): boolean {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const family = familyOf(plain);
    return family !== undefined && this.#list.check(plain, family);
  }
}
