import type { ConnectorKind } from '../../contract.ts';
import {
  directoryProperties,
  ignoredProperties,
  ldapProblems,
  ldapProperties,
} from './ldap-configuration.ts';
import { LdapConnector } from './ldap-connector.ts';

/** Accounts and groups of Active Directory, over LDAP. */
export const directoryKind: ConnectorKind<typeof directoryProperties> = {
  id: 'ad',
  displayName: 'Active Directory',
  names: ['Org.IdentityConnectors.ActiveDirectory.ActiveDirectoryConnector'],
  findsByIds: true,
  properties: directoryProperties,
  ignored: ignoredProperties,
  check: ldapProblems,
  open: (configuration, host) => new LdapConnector(configuration, host),
};

/** Entries of a directory. */
export const ldapKind: ConnectorKind<typeof ldapProperties> = {
  id: 'ldap',
  displayName: 'LDAP directory',
  names: ['org.identityconnectors.ldap.LdapConnector'],
  findsByIds: true,
  properties: ldapProperties,
  ignored: ignoredProperties,
  check: ldapProblems,
  open: (configuration, host) => new LdapConnector(configuration, host),
};
