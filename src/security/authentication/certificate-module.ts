import type { CertificateSettings } from '#config/index.ts';
import { type AuthenticationModule, identity } from './authentication-module.ts';
import type { KnownOwners } from './known-owners.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/**
 * A TLS proxy in front has checked the client's certificate and passes its subject on in a header. Nobody here learns
 * when a certificate is revoked, so it is shown with each request and begins no session.
 */
export function certificateModule(
  name: string,
  settings: CertificateSettings,
  owners: Pick<KnownOwners, 'note'>,
): AuthenticationModule {
  const proxies = new TrustedProxies(settings.trustedProxies);
  const allowed = settings.allowedAuthenticationIdPatterns.map((pattern) => new RegExp(`^(?:${pattern})$`));
  const { queryOnResource: component, defaultUserRoles: roles } = settings;
  const people = { component, by: 'the subjects of certificates' };
  return {
    name,
    people,
    async authenticate({ header, client }) {
      const subject = settings.header === undefined ? undefined : header(settings.header);
      // Anybody can send the header; it counts only from a proxy, by the address of the connection itself.
      if (
        subject === undefined ||
        subject === '' ||
        !proxies.include(client.peerAddress ?? client.remoteAddress)
      ) {
        return undefined;
      }
      if (!allowed.some((pattern) => pattern.test(subject))) return undefined;
      await owners.note(people.component, people.by);
      return identity({ name: subject, module: name, component, id: subject, roles });
    },
  };
}
