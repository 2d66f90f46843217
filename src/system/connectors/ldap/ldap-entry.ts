import { Attribute, Change, type Entry as LdapEntry } from 'ldapts';
import {
  type AttributeDelta,
  type Attributes,
  ConnectorError,
  ENABLE,
  type Entry,
  NAME,
  PASSWORD,
  type Scalar,
  UID,
} from '../../contract.ts';
import {
  CONTROL,
  controlOfNew,
  guidText,
  isActiveDirectory,
  isEnabled,
  isGuid,
  passwordValue,
} from './active-directory.ts';
import { firstParts } from './distinguished-name.ts';
import { textOf } from './ldap-filter.ts';

export interface EntryRules {
  readonly uidAttribute: string;
  readonly passwordAttribute: string;
}

/** An entry as the directory shows it; attributes by the names by which they were asked for. */
export function entryOf(found: LdapEntry, rules: EntryRules, asked: readonly string[] | undefined): Entry {
  const { uidAttribute, passwordAttribute } = rules;
  const { dn, ...others } = found;
  const names = new Map((asked ?? []).map((name) => [name.toLowerCase(), name]));
  const attributes = new Map<string, readonly Scalar[]>();
  let id = uidAttribute === 'dn' ? dn : '';
  for (const [name, given] of Object.entries(others)) {
    const values: readonly (string | Buffer)[] = Array.isArray(given) ? given : [given];
    const key = name.toLowerCase();
    if (key === uidAttribute.toLowerCase()) id = uidOf(uidAttribute, values);
    if (values.length > 0 && key !== passwordAttribute.toLowerCase())
      attributes.set(names.get(key) ?? name, values);
  }
  const [control] = attributes.get(CONTROL) ?? [];
  if (typeof control === 'string' && isActiveDirectory(rules)) {
    attributes.set(ENABLE, [isEnabled(control)]);
  }
  if (id === '') {
    throw new ConnectorError('misconfigured', `'${dn}' has no '${uidAttribute}', which is to say who it is`);
  }
  return { id, name: dn, attributes };
}

/** What an add consists of: the classes, and what the name says of the entry. */
export function newAttributes(
  name: string,
  attributes: Attributes,
  classes: readonly string[],
  rules: EntryRules,
): Attribute[] {
  const { passwordAttribute } = rules;
  const all = new Map<string, { readonly type: string; readonly values: (string | Buffer)[] }>();
  const put = (type: string, values: (string | Buffer)[]) => all.set(type.toLowerCase(), { type, values });
  put('objectClass', [...classes]);
  for (const [attribute, values] of attributes) {
    if (attribute === NAME || attribute === UID || attribute === ENABLE) continue;
    if (attribute !== PASSWORD) put(attribute, values.map(textOf));
    else
      put(
        passwordAttribute,
        values.map((value) => textOf(passwordValue(rules, value))),
      );
  }
  const control = controlOfNew(rules, attributes);
  if (control !== undefined) put(CONTROL, [control]);
  for (const { attribute, value } of firstParts(name)) {
    if (!all.has(attribute.toLowerCase())) put(attribute, [value]);
  }
  return [...all.values()].map(({ type, values }) => attributeOf(type, values));
}

/** What a modify consists of; a new name is none of it. */
export function changesOf(deltas: readonly AttributeDelta[], rules: EntryRules): Change[] {
  return deltas.flatMap((delta) => {
    const isPassword = delta.name === PASSWORD;
    const type = isPassword ? rules.passwordAttribute : delta.name;
    if ('replace' in delta) {
      const { replace } = delta;
      const values = isPassword ? replace.map((value) => passwordValue(rules, value)) : replace;
      return [changeOf('replace', type, values)];
    }
    return [
      ...(delta.add.length === 0 ? [] : [changeOf('add', type, delta.add)]),
      ...(delta.remove.length === 0 ? [] : [changeOf('delete', type, delta.remove)]),
    ];
  });
}

/** One value at a time, of what is added and removed. */
export function singleChanges(changes: readonly Change[]): Change[] {
  return changes.flatMap((change) => {
    const { operation, modification } = change;
    if (operation === 'replace') return [change];
    return modification.values.map(
      (value) => new Change({ operation, modification: attributeOf(modification.type, [value]) }),
    );
  });
}

function changeOf(operation: Change['operation'], type: string, values: readonly Scalar[]): Change {
  return new Change({ operation, modification: attributeOf(type, values.map(textOf)) });
}

/** Texts and bytes go out alike, as bytes. */
function attributeOf(type: string, values: readonly (string | Buffer)[]): Attribute {
  return new Attribute({
    type,
    values: values.map((value) => (typeof value === 'string' ? Buffer.from(value, 'utf8') : value)),
  });
}

/** The id as a text; some directories have a binary one. */
function uidOf(attribute: string, [value = '']: readonly (string | Buffer)[]): string {
  if (typeof value === 'string') return value;
  return isGuid(attribute) ? guidText(value) : value.toString('hex');
}
