import { type Change, type Client, Control } from 'ldapts';
import { singleChanges } from './ldap-entry.ts';
import { isResult } from './ldap-error-table.ts';

/** Adding what is there and removing what is not are no mistakes (as Active Directory has it; OpenLDAP knows it as well). */
const PERMISSIVE = '1.2.840.113556.1.4.1413';

/** A directory that does not know the control is told one value after the other, as far as it does not have them so. */
export async function modifyEntry(client: Client, name: string, changes: Change[]): Promise<void> {
  try {
    await client.modify(name, changes, [new Control(PERMISSIVE)]);
  } catch (error) {
    if (!isResult(error, 16, 20)) throw error;
    for (const change of singleChanges(changes)) {
      await client.modify(name, change).catch((failure: unknown) => {
        if (change.operation === 'replace' || !isResult(failure, 16, 20)) throw failure;
      });
    }
  }
}
