import { createHash } from 'node:crypto';

/**
 * By what something is known that was referred to and is not there, so that whoever waits for it is found when it is: it says nothing of
 * its name.
 *
 * @param place where it is to be, such as `managed/user`, or `system/ldap` for whatever there is
 * @param name its id there, or a value that it is known by, such as a distinguished name
 */
export function missingPrint(place: string, name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^,=+]+/g, (part) => part.trim());
  return createHash('sha256').update(`${place}\n${plain}`).digest('base64url');
}
