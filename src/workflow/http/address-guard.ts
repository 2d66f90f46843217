import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { InternalServerError } from '#errors/index.ts';

/** `address` or `network/bits`, of either family. */
export type Network = string;

/**
 * Where processes may not connect to unless it is allowed: this machine, link-local addresses with the metadata
 * services of clouds, tunnels that lead there, and addresses that are none of a single host.
 */
const DENIED: readonly Network[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200',
  '::/96',
  '2001::/32',
  '2002::/16',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254',
];

/** Decides where requests of processes may go, by address and not by name: names can mean anything. */
export class AddressGuard {
  readonly #denied = listOf(DENIED);
  readonly #allowed: BlockList;

  /** @throws InternalServerError `WORKFLOW_BAD_NETWORK` when an allowed network is none */
  constructor(allowed: readonly Network[] = []) {
    this.#allowed = listOf(allowed);
  }

  isAllowed(address: string): boolean {
    const plain = withoutMapping(address);
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    return this.#allowed.check(plain, family) || !this.#denied.check(plain, family);
  }

  /** @throws InternalServerError `WORKFLOW_HTTP_DENIED` */
  check(host: string, address: string): void {
    if (this.isAllowed(address)) return;
    const shown = host === address ? host : `${host} (${address})`;
    throw new InternalServerError(`Processes may not connect to ${shown}`, {
      id: 'WORKFLOW_HTTP_DENIED',
      hint: 'An administrator can allow the network in http.allow of workflow.json',
    });
  }

  /** Resolves a name for a connection and refuses it when any of its addresses is denied. */
  readonly lookup: LookupFunction = (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      try {
        for (const { address } of addresses) this.check(host, address);
      } catch (refusal) {
        return done(refusal as NodeJS.ErrnoException, '', 0);
      }
      if (options.all === true) return done(null, addresses);
      const [first] = addresses;
      return done(null, first!.address, first!.family);
    });
  };
}

/** IPv4 addresses in the clothes of IPv6: mapped ones and those of translation networks. */
function withoutMapping(address: string): string {
  const plain = address.replace(/%.*$/, '');
  const mapped = /^(?:::ffff:|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(plain) ?? [];
  if (high === undefined || low === undefined) return plain;
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((part) => [part >> 8, part & 0xff]).join('.');
}

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv6' ? 128 : 32;
    if (isIP(address) === 0 || (bits !== undefined && !(Number(bits) >= 0 && Number(bits) <= most))) {
      throw new InternalServerError(`'${network}' in http.allow of workflow.json is no address or network`, {
        id: 'WORKFLOW_BAD_NETWORK',
        hint: 'Write it like 10.0.0.7 or 10.0.0.0/8',
      });
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
