import { EqualityFilter, NotFilter } from 'ldapts';
import { ACCOUNT, GROUP } from '../../contract.ts';
import { isActiveDirectory } from './active-directory.ts';
import type { LdapConfiguration } from './ldap-configuration.ts';
import { allOf, type TranslatedFilter } from './ldap-filter.ts';

/** The object classes of a kind of entries; one that is neither account nor group is a class itself. */
export function classesOf(
  { accountObjectClasses, groupObjectClasses }: LdapConfiguration,
  type: string,
): readonly string[] {
  if (type === ACCOUNT) return accountObjectClasses;
  return type === GROUP ? groupObjectClasses : [type];
}

export function filterOfType(configuration: LdapConfiguration, type: string): TranslatedFilter {
  const ofClass = (value: string) => new EqualityFilter({ attribute: 'objectClass', value });
  // Computers are users, too, as Active Directory has it.
  const isOfUsers = type === ACCOUNT && isActiveDirectory(configuration);
  const filters = [
    ...classesOf(configuration, type).map(ofClass),
    ...(isOfUsers ? [new NotFilter({ filter: ofClass('computer') })] : []),
  ];
  return allOf(filters.map((filter) => ({ filter, isExact: true })));
}
