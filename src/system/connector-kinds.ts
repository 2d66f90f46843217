import { didYouMean } from '#errors/index.ts';
import { csvKind } from './connectors/csv/csv-connector.ts';
import { directoryKind, ldapKind } from './connectors/ldap/ldap-kind.ts';
import { scimKind } from './connectors/scim/scim-connector.ts';
import { scriptedKind } from './connectors/scripted/scripted-connector.ts';
import { sqlKind } from './connectors/sql/sql-connector.ts';
import type { ConnectorKind } from './contract.ts';

export const CONNECTOR_KINDS: readonly ConnectorKind[] = [
  ldapKind,
  directoryKind,
  csvKind,
  sqlKind,
  scimKind,
  scriptedKind,
];

export type FoundKind =
  | { readonly kind: ConnectorKind }
  | { readonly message: string; readonly hint: string };

/** Whether a system with this `connectorName` is asked where scripts run. */
export function isScripted(name: string, kinds: readonly ConnectorKind[] = CONNECTOR_KINDS): boolean {
  return kinds.some((kind) => kind.runsScripts === true && (kind.id === name || kind.names.includes(name)));
}

/** Connectors that others have and this server does not, by what their names hold, and what takes their place. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [
    /scriptedsql/i,
    'Groovy files that are connectors are not run; org.identityconnectors.databasetable.DatabaseTableConnector reads and writes tables, those that belong to them, and views',
  ],
  [
    /groovy|scripted/i,
    'Groovy files that are connectors are not run; svc.scripted takes their place: one file of JavaScript with a function for each',
  ],
  [/powershell/i, 'There is no PowerShell here; Active Directory is reached by LDAP'],
  [
    /database|jdbc|sql/i,
    'Databases are reached by org.identityconnectors.databasetable.DatabaseTableConnector',
  ],
  [/scim/i, 'Services of SCIM are reached by org.forgerock.openicf.connectors.scim.ScimConnector'],
  [
    /activedirectory/i,
    'Active Directory is reached by Org.IdentityConnectors.ActiveDirectory.ActiveDirectoryConnector, over LDAP',
  ],
  [
    /sap|racf|kerberos|ssh|xml|salesforce|google|azure|msgraph|workday|servicenow|marketo|epic|docusign/i,
    'There is no connector for it',
  ],
];

/** What a `connectorName` means. */
export function findKind(name: string, kinds: readonly ConnectorKind[] = CONNECTOR_KINDS): FoundKind {
  const kind = kinds.find(({ id, names }) => id === name || names.includes(name));
  if (kind !== undefined) return { kind };
  const known = kinds.flatMap(({ names }) => names);
  const refused = REFUSED.find(([pattern]) => pattern.test(name));
  return {
    message: `There is no connector '${name.slice(0, 200)}'`,
    hint: didYouMean(name, known) ?? refused?.[1] ?? `There are ${known.join(', ')}`,
  };
}
