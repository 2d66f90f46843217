import {
  type AttributeDelta,
  type Attributes,
  ENABLE,
  PASSWORD,
  type Scalar,
  Secret,
} from '../../contract.ts';

/** What Active Directory does in its own way: who an entry is, passwords, and whether an account is enabled. */

export interface DirectoryNames {
  readonly uidAttribute: string;
  readonly passwordAttribute: string;
}

export const CONTROL = 'userAccountControl';
/** Classes whose attributes an account has, too, though they stand above none of its own. */
export const AUXILIARY = ['securityPrincipal', 'mailRecipient'];

/** Attributes that are made for one entry that is named, and shown in no listing: to ask for them there is an error. */
export const OF_ONE_ENTRY = /^(?:msDS-)?tokenGroups/i;

const DISABLED = 2;
const NORMAL_ACCOUNT = 512;
const GUID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i;

export function isActiveDirectory({ uidAttribute, passwordAttribute }: DirectoryNames): boolean {
  return isGuid(uidAttribute) || passwordAttribute.toLowerCase() === 'unicodepwd';
}

export function isGuid(uidAttribute: string): boolean {
  return uidAttribute.toLowerCase() === 'objectguid';
}

/** The GUID as administrators know it: the first three parts have their bytes the other way round. */
export function guidText(bytes: Uint8Array): string {
  const hex = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    .map((at) => (bytes[at] ?? 0).toString(16).padStart(2, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** @returns undefined for a text that is none */
export function guidBytes(text: string): Buffer | undefined {
  if (!GUID.test(text)) return undefined;
  const [a = '', b = '', c = '', ...rest] = text.split('-').map((part) => Buffer.from(part, 'hex'));
  return Buffer.concat([
    ...[a, b, c].map((part) => Buffer.from(part).reverse()),
    ...rest.map((part) => Buffer.from(part)),
  ]);
}

/** What an id is searched by; undefined where it is none, so that there is no such entry. */
export function idValue(uidAttribute: string, id: string): string | Buffer | undefined {
  return isGuid(uidAttribute) ? guidBytes(id) : id;
}

/** A password as it is written: between quotes, two bytes a character. */
export function passwordValue({ passwordAttribute }: DirectoryNames, value: Scalar): Scalar {
  if (passwordAttribute.toLowerCase() !== 'unicodepwd' || !(value instanceof Secret)) return value;
  return Buffer.from(`"${value.reveal()}"`, 'utf16le');
}

export function isEnabled(control: string): boolean {
  return (Number(control) & DISABLED) === 0;
}

/** The names that are asked for, for those that only we know. */
export function askedNames(names: DirectoryNames, asked: readonly string[]): readonly string[] {
  if (!isActiveDirectory(names)) return asked;
  return asked.map((name) => (name === ENABLE ? CONTROL : name));
}

/** Whether an account is enabled, in the words of the directory: somebody with a password is, where nothing is said. */
export function controlOfNew(names: DirectoryNames, attributes: Attributes): string | undefined {
  if (!isActiveDirectory(names) || attributes.has(CONTROL)) return undefined;
  const [wanted] = attributes.get(ENABLE) ?? [];
  if (wanted === undefined) return attributes.has(PASSWORD) ? String(NORMAL_ACCOUNT) : undefined;
  return String(wanted === true ? NORMAL_ACCOUNT : NORMAL_ACCOUNT | DISABLED);
}

/** The same changes, with the one bit of the control that says whether an account is enabled. */
export function withControl(
  names: DirectoryNames,
  deltas: readonly AttributeDelta[],
  before: Attributes,
): readonly AttributeDelta[] {
  if (!isActiveDirectory(names)) return deltas;
  const control = Number(before.get(CONTROL)?.[0] ?? NORMAL_ACCOUNT);
  return deltas.map((delta) => {
    if (delta.name !== ENABLE) return delta;
    const [wanted] = 'replace' in delta ? delta.replace : delta.add;
    const next = wanted === true ? control & ~DISABLED : control | DISABLED;
    return { name: CONTROL, replace: [String(next)] };
  });
}
