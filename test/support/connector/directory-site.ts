import { connect, type Socket } from 'node:net';
import type { JsonObject } from '#json/index.ts';
import { ldapKind } from '#system/connectors/ldap/ldap-kind.ts';
import type { Slapd } from '../slapd.ts';
import { ConnectorSite } from './fixture.ts';

export const PEOPLE = 'ou=people,dc=example,dc=com';
export const GROUPS = 'ou=groups,dc=example,dc=com';

/** A system on a directory of a test, with a configuration of its own. */
export function directorySite(
  slapd: Pick<Slapd, 'port' | 'principal' | 'password'>,
  configuration: JsonObject,
  objectTypes: JsonObject = {},
  connectTo: (place: { readonly host: string; readonly port: number }) => Socket = connect,
): ConnectorSite {
  const nothing = async () => {};
  return new ConnectorSite({
    kind: ldapKind,
    host: { connect: connectTo, resolveFile: (path: string) => path },
    config: {
      name: 'ldap',
      connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
      configurationProperties: {
        host: 'localhost',
        port: slapd.port,
        principal: slapd.principal,
        credentials: slapd.password,
        baseContexts: [PEOPLE],
        ...configuration,
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            dn: { type: 'string', nativeName: '__NAME__' },
            cn: { type: 'string' },
            sn: { type: 'string' },
            photo: { type: 'string', nativeName: 'jpegPhoto', nativeType: 'JAVA_TYPE_BYTE_ARRAY' },
            password: { type: 'string', nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
          },
        },
        ...objectTypes,
      },
    },
    draft: (object: JsonObject) => object,
    many: 1,
    multitude: 1,
    seed: nothing,
    empty: nothing,
    [Symbol.asyncDispose]: nothing,
  });
}
