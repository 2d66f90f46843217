import { readAddress } from '#resource/index.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * The caller's address. Each proxy appends whom it was asked by to `X-Forwarded-For`, so it is read from the right, and
 * the first hop that is no proxy of ours is the caller: what stands before it the caller may have made up. One that
 * cannot be read says nothing of anybody, and the other end of the connection stands for whoever it was.
 *
 * `Forwarded` is not read: a proxy that writes the one header hands on the other as the caller sent it.
 */
export function callerAddress(peer: string, forwarded: string | undefined, proxies: TrustedProxies): string {
  const itself = readAddress(peer) ?? peer;
  if (forwarded === undefined || !proxies.include(itself)) return itself;
  let caller = itself;
  for (const hop of forwarded.split(',').reverse()) {
    const address = readAddress(hop);
    if (address === undefined) return itself;
    caller = address;
    if (!proxies.include(address)) return caller;
  }
  return caller;
}
