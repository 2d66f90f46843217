import { readFileSync } from 'node:fs';
import {
  type Capabilities,
  type ConfigurationOf,
  type ConfigurationProblem,
  type ConfigurationProperties,
  ConnectorError,
  shownAddress,
} from '../../contract.ts';
import { isActiveDirectory } from './active-directory.ts';
import type { Place } from './change-number.ts';
import type { LdapLogin, LdapPlace } from './ldap-connections.ts';

export const ldapProperties = {
  host: { type: 'text', isRequired: true, does: 'Name or address of the directory' },
  port: { type: 'number', default: 389, does: 'Its port; 636 for TLS from the beginning' },
  ssl: { type: 'flag', default: false, does: 'TLS from the beginning' },
  startTLS: { type: 'flag', default: false, does: 'TLS after the connection is there' },
  caFile: {
    type: 'text',
    does: 'Certificates that are trusted, PEM, in the folder data of the project; default: those of Node',
  },
  failover: {
    type: 'list',
    default: [],
    does: 'Other places with the same entries, such as ldap://second.example.com:389',
  },
  principal: { type: 'text', does: 'Distinguished name by which the server logs in' },
  credentials: { type: 'secret', does: 'Its password' },
  baseContexts: {
    type: 'list',
    isRequired: true,
    does: 'Below which entries it looks, such as ou=people,dc=example,dc=com',
  },
  accountObjectClasses: {
    type: 'list',
    default: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
    does: 'What an account is',
  },
  accountUserNameAttributes: { type: 'list', default: ['uid', 'cn'], does: 'By which somebody logs in' },
  groupObjectClasses: { type: 'list', default: ['top', 'groupOfUniqueNames'], does: 'What a group is' },
  uidAttribute: {
    type: 'text',
    default: 'entryUUID',
    does: 'Which attribute says who an entry is; dn where there is none',
  },
  passwordAttribute: { type: 'text', default: 'userPassword', does: 'Where a password is written' },
  passwordModify: {
    type: 'flag',
    default: true,
    does: 'Whether the directory sets passwords itself (RFC 3062), so that it hashes them, where it can',
  },
  maintainLdapGroupMembership: {
    type: 'flag',
    default: false,
    does: 'Whether groups follow entries that are renamed or deleted, where the directory does not see to it',
  },
  groupMemberAttribute: { type: 'text', default: 'uniqueMember', does: 'Where a group has its members' },
  readSchema: {
    type: 'flag',
    default: true,
    does: 'Whether it is asked what its attributes can be compared by',
  },
  changes: {
    type: 'text',
    default: 'entryCSN',
    does: 'How it tells what has changed: accesslog (all), entryCSN (not what was deleted), of Active Directory dirSync (all) and uSNChanged (of what was deleted only what the account may see), or none',
  },
  accessLogContext: {
    type: 'text',
    default: 'cn=accesslog',
    does: 'Of accesslog: where the log is',
  },
} as const satisfies ConfigurationProperties;

/** The properties for Active Directory: the same, with what is usual there. */
export const directoryProperties = {
  ...ldapProperties,
  accountObjectClasses: {
    ...ldapProperties.accountObjectClasses,
    default: ['top', 'person', 'organizationalPerson', 'user'],
  },
  accountUserNameAttributes: {
    ...ldapProperties.accountUserNameAttributes,
    default: ['sAMAccountName', 'userPrincipalName'],
  },
  groupObjectClasses: { ...ldapProperties.groupObjectClasses, default: ['top', 'group'] },
  uidAttribute: { ...ldapProperties.uidAttribute, default: 'objectGUID' },
  passwordAttribute: { ...ldapProperties.passwordAttribute, default: 'unicodePwd' },
  groupMemberAttribute: { ...ldapProperties.groupMemberAttribute, default: 'member' },
  changes: { ...ldapProperties.changes, default: 'dirSync' },
} as const satisfies ConfigurationProperties;

/** What others have: the ways in which pages are read, groups followed and changes found are not for choice here. */
export const ignoredProperties = [
  'useBlocks',
  'blockSize',
  'usePagedResultControl',
  'useVlvControls',
  'vlvSortAttribute',
  'maintainPosixGroupMembership',
  'getGroupMemberId',
  'referralsHandling',
  'groupSynchronizationFilter',
  'accountSynchronizationFilter',
  'baseContextsToSynchronize',
  'objectClassesToSynchronize',
  'attributesToSynchronize',
  'changeLogBlockSize',
  'changeNumberAttribute',
  'changeLogUsesOr',
  'filterWithOrInsteadOfAnd',
  'removeLogEntryObjectClassFromFilter',
  'respectResourcePasswordPolicyChangeAfterReset',
  'modifiersNamesToFilterOut',
  'passwordHashAlgorithm',
  'useTimestampsForSync',
] as const;

export type LdapConfiguration = ConfigurationOf<typeof ldapProperties>;

/** The ways to hear of changes, by the words of the property `changes`. */
export const CHANGES: Readonly<
  Record<string, readonly [Place['mode'] | 'dirSync' | 'uSNChanged' | 'none', Capabilities['changes']]>
> = {
  accesslog: ['accesslog', 'full'],
  entryCSN: ['entryCSN', 'upserts'],
  dirSync: ['dirSync', 'full'],
  uSNChanged: ['uSNChanged', 'upserts'],
};

/** How it tells of changes; Active Directory knows no other way than its own. */
export function changesOfKind(configuration: LdapConfiguration) {
  const { changes } = configuration;
  const name = changes === 'entryCSN' && isActiveDirectory(configuration) ? 'dirSync' : changes;
  return CHANGES[name] ?? (['none', 'none'] as const);
}

export function ldapProblems({
  ssl,
  startTLS,
  port,
  failover,
  baseContexts,
  principal,
  credentials,
  changes,
}: LdapConfiguration): readonly ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  if (ssl && startTLS) {
    problems.push({ property: 'startTLS', message: 'ssl and startTLS exclude each other' });
  }
  if (port < 1 || port > 65_535) problems.push({ property: 'port', message: `${port} is no port` });
  for (const place of failover) {
    if (placeOf(place, 389) === undefined) {
      problems.push({
        property: 'failover',
        message: `'${shownAddress(place)}' is no place like ldap://host:389`,
      });
    }
  }
  for (const base of baseContexts) {
    if (!base.includes('=')) {
      problems.push({
        property: 'baseContexts',
        message: `'${base}' is no distinguished name`,
        hint: 'Such as dc=example,dc=com',
      });
    }
  }
  if (changes !== 'none' && CHANGES[changes] === undefined) {
    problems.push({
      property: 'changes',
      message: `'changes' is '${changes}'`,
      hint: 'There are accesslog, entryCSN, dirSync, uSNChanged and none',
    });
  }
  if (principal !== undefined && credentials === undefined) {
    // A directory takes it for a login by nobody, and then shows less than is expected.
    problems.push({ property: 'credentials', message: "'principal' logs in without a password" });
  }
  return problems;
}

/** @param caFile with the certificates that are trusted; undefined: those that Node trusts @throws ConnectorError `misconfigured` */
export function loginOf(configuration: LdapConfiguration, caFile: string | undefined): LdapLogin {
  const { host, port, ssl, startTLS, failover, principal, credentials } = configuration;
  return {
    places: [{ host, port }, ...failover.flatMap((place) => placeOf(place, port) ?? [])],
    security: ssl ? 'tls' : startTLS ? 'startTls' : 'none',
    tls: caFile === undefined ? {} : { ca: readCertificates(caFile) },
    principal,
    credentials,
  };
}

function placeOf(text: string, port: number): LdapPlace | undefined {
  const url = URL.parse(text.includes('://') ? text : `ldap://${text}`);
  if (url === null || !['ldap:', 'ldaps:'].includes(url.protocol) || url.hostname === '') return undefined;
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port === '' ? port : Number(url.port) };
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConnectorError('misconfigured', `'${path}' cannot be read`, { cause: error });
  }
}
