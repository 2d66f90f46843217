import { EqualityFilter } from 'ldapts';
import { ConnectorError, type Entry, type Secret } from '../../contract.ts';
import { isGuid } from './active-directory.ts';
import { filterOfType } from './kind-of-entry.ts';
import type { LdapConfiguration } from './ldap-configuration.ts';
import type { LdapConnections } from './ldap-connections.ts';
import { entryOf } from './ldap-entry.ts';
import { allOf, anyOf, filterIn } from './ldap-filter.ts';

interface Place {
  readonly connections: LdapConnections;
  readonly bases: readonly string[];
  readonly configuration: LdapConfiguration;
}

/** Finds who has the name, and logs in as that entry. @returns its id @throws ConnectorError `invalidCredentials` */
export async function logIn(
  { connections, bases, configuration }: Place,
  type: string,
  name: string,
  password: Secret,
  signal: AbortSignal,
): Promise<string> {
  const wrong = new ConnectorError('invalidCredentials', 'The name or the password is wrong');
  const { accountUserNameAttributes, uidAttribute } = configuration;
  const named = anyOf(
    accountUserNameAttributes.map((attribute) => ({
      filter: new EqualityFilter({ attribute, value: name }),
      isExact: true,
    })),
  );
  const filter = allOf([filterOfType(configuration, type), named]);
  const found: Entry[] = [];
  for (const base of bases) {
    const { searchEntries } = await connections.read(signal, (client) =>
      client.search(base, {
        scope: 'sub',
        attributes: [uidAttribute],
        explicitBufferAttributes: isGuid(uidAttribute) ? [uidAttribute] : [],
        sizeLimit: 2,
        timeLimit: 0,
        ...filterIn(filter),
      }),
    );
    found.push(...searchEntries.map((one) => entryOf(one, configuration, undefined)));
  }
  const [who, other] = found;
  // A login without a password is one by nobody, which directories take.
  if (who?.name === undefined || other !== undefined || password.reveal() === '') throw wrong;
  const connection = await connections.open(signal, { principal: who.name, credentials: password });
  connection.discard();
  return who.id;
}
