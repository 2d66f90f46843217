import type { TrustedAttributeSettings } from '#config/index.ts';
import { type AuthenticationModule, identity } from './authentication-module.ts';
import type { AccountFinder } from './find-account.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/**
 * A proxy in front has asked somebody who they are, and says so in a header. Anybody can send the header; it counts only
 * from a proxy, by the address of the connection itself, and with each request anew: it begins no session.
 */
export function trustedAttributeModule(
  name: string,
  { authenticationIdAttribute, trustedProxies }: TrustedAttributeSettings,
  accounts: AccountFinder,
): AuthenticationModule {
  const proxies = new TrustedProxies(trustedProxies);
  return {
    name,
    async authenticate({ header, client }) {
      const told = header(authenticationIdAttribute.toLowerCase());
      if (told === undefined || told === '') return undefined;
      if (!proxies.include(client.peerAddress ?? client.remoteAddress)) return undefined;
      const account = await accounts.find(told);
      if (account === undefined || !account.isActive) return undefined;
      const { id, component, roles } = account;
      return identity({ name: account.name, module: name, component, id, roles });
    },
  };
}
