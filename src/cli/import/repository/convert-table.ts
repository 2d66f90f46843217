import { type Crypto, hashPassword } from '#crypto/index.ts';
import { isObject, type JsonObject, type JsonValue, parsePointer, setAt } from '#json/index.ts';
import { keyOf, left, parseObject, printOf, remark } from './foreign-object.ts';
import type { ForeignRow, Reading } from './item.ts';

/** How columns of a table make an object: pointer → column. */
export type ColumnMapping = ReadonlyMap<string, { readonly column: string; readonly type: string }>;

/** Where tables with columns of their own stand without anything being configured. */
export const KNOWN_TABLES: Readonly<
  Record<string, { readonly table: string; readonly columns: ColumnMapping }>
> = {
  link: known('links', {
    linkType: 'linktype',
    linkQualifier: 'linkqualifier',
    firstId: 'firstid',
    secondId: 'secondid',
  }),
  'internal/role': known('internalrole', { description: 'description' }),
  'internal/user': known('internaluser', { password: 'pwd', roles: 'roles' }),
  'ui/notification': known('uinotification', {
    createDate: 'createdate',
    message: 'message',
    notificationType: 'notificationtype',
    notificationSubtype: 'notificationsubtype',
    receiverId: 'receiverid',
    requester: 'requester',
    requesterId: 'requesterid',
  }),
};

function known(table: string, members: Readonly<Record<string, string>>) {
  const columns = Object.entries(members).map(
    ([name, column]) => [`/${name}`, { column, type: 'STRING' }] as const,
  );
  return { table, columns: new Map(columns) };
}

/** `objectToColumn` of a mapping: `"a/b": "column"`, `{column, type}` or `[column, type]`. */
export function readColumns(objectToColumn: JsonObject): ColumnMapping {
  const columns = Object.entries(objectToColumn).flatMap(([pointer, to]) => {
    const [column, type] = Array.isArray(to) ? to : isObject(to) ? [to['column'], to['type']] : [to];
    if (typeof column !== 'string') return [];
    return [
      [
        `/${pointer.replace(/^\//, '')}`,
        { column: column.toLowerCase(), type: String(type ?? 'STRING') },
      ] as const,
    ];
  });
  return new Map(columns);
}

/** The object that the columns of a row make. */
export function objectOf(columns: ColumnMapping, row: ForeignRow): JsonObject {
  const read = parseObject(row.text);
  const values = 'object' in read ? read.object : {};
  const object: JsonObject = {};
  for (const [pointer, { column, type }] of columns) {
    const value = values[column];
    if (pointer === '/_id' || pointer === '/_rev' || value === undefined || value === null) continue;
    setAt(object, parsePointer(pointer), typed(String(value), type.toUpperCase()));
  }
  return object;
}

function typed(text: string, type: string): JsonValue {
  if (type === 'BOOLEAN') return /^(?:1|t|true)$/i.test(text);
  if (type === 'NUMBER' || type === 'INTEGER' || type === 'LONG') {
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  }
  return type.startsWith('JSON') || /^\s*\{\s*"\$crypto"/.test(text) ? jsonOr(text) : text;
}

function jsonOr(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A pair of objects that synchronisation has linked; older versions know one qualifier. */
export function convertLink(row: ForeignRow): Reading {
  const columns = KNOWN_TABLES['link']?.columns ?? new Map();
  const link = objectOf(columns, row);
  const { linkType, linkQualifier = 'default', firstId, secondId } = link;
  const isWhole = [linkType, linkQualifier, firstId, secondId].every(
    (value) => typeof value === 'string' && value !== '',
  );
  if (!isWhole) return left('link', row.id, 'It lacks its type, or one of the two ids');
  const data = {
    link_type: String(linkType),
    qualifier: String(linkQualifier),
    first_id: String(firstId),
    second_id: String(secondId),
    // How case counts is asked of the mapping when a link is looked up.
    first_key: String(firstId),
    second_key: String(secondId),
  };
  return { items: [{ kind: 'link', type: '', ...keyOf(row), print: printOf(link), data }], remarks: [] };
}

/**
 * Somebody whom the server knows by itself. A password that is kept in plain is hashed; one that is the name of the user, as
 * those are that come with the product, does not come.
 */
export async function convertInternalUser(
  crypto: Pick<Crypto, 'decrypt'>,
  row: ForeignRow,
): Promise<Reading> {
  const { password, ...stored } = objectOf(KNOWN_TABLES['internal/user']?.columns ?? new Map(), row);
  const print = printOf({ ...stored, password: password ?? null });
  const opened = isObject(password) ? await crypto.decrypt(password).catch(() => undefined) : password;
  const isShipped = opened === row.id;
  const kept =
    isShipped || password === undefined
      ? undefined
      : isObject(password)
        ? password
        : await hashPassword(String(password));
  const data: JsonObject = {
    userName: row.id,
    ...(kept === undefined ? {} : { password: kept }),
    roles: rolesOf(stored['roles']),
  };
  const about = 'repo/internal/user';
  const item = { kind: 'repo', type: 'internal/user', ...keyOf(row), print, data } as const;
  const shipped = 'Its password is its name, as it is shipped, and does not come: give it one here';
  return { items: [item], remarks: isShipped ? [remark(about, row.id, shipped)] : [] };
}

/** The roles of a user: since 4.0 a list of references, before that names with commas. */
function rolesOf(stored: JsonValue | undefined): JsonValue {
  const text = typeof stored === 'string' ? stored : '';
  const list = jsonOr(text);
  const roles = Array.isArray(list) ? list : text.split(',').map((name) => name.trim());
  return roles.flatMap((role) => {
    const ref = isObject(role) ? role['_ref'] : role;
    if (typeof ref !== 'string' || ref === '') return [];
    return [{ _ref: ref.includes('/') ? ref : `repo/internal/role/${ref}` }];
  });
}
