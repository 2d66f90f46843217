import { BerWriter, type Client } from 'ldapts';
import { type AttributeDelta, type Attributes, PASSWORD, type Scalar } from '../../contract.ts';
import { textOf } from './ldap-filter.ts';

/** RFC 3062: the directory is told whose password it is to set, and keeps it in its own way. */
export const PASSWORD_MODIFY = '1.3.6.1.4.1.4203.1.11.1';

const WHO = 0x80;
const NEW_PASSWORD = 0x82;

export async function modifyPassword(client: Client, name: string, password: string): Promise<void> {
  const value = new BerWriter();
  value.startSequence();
  value.writeString(name, WHO);
  value.writeString(password, NEW_PASSWORD);
  value.endSequence();
  await client.exop(PASSWORD_MODIFY, value.buffer);
}

/** The one password among the attributes of a new entry; undefined where there is none, and no other number than one. */
export function passwordOf(attributes: Attributes): string | undefined {
  return onlyText(attributes.get(PASSWORD) ?? []);
}

/** The one password that is to be set. */
export function passwordIn(deltas: readonly AttributeDelta[]): string | undefined {
  const delta = deltas.find(({ name }) => name === PASSWORD);
  return delta !== undefined && 'replace' in delta ? onlyText(delta.replace) : undefined;
}

function onlyText(values: readonly Scalar[]): string | undefined {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return undefined;
  const text = textOf(value).toString();
  // Without one the directory would make one up.
  return text === '' ? undefined : text;
}
