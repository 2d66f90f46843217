import {
  ACCOUNT,
  type AttributeInfo,
  ConnectorError,
  GROUP,
  NAME,
  type ObjectClass,
  PASSWORD,
} from '../../contract.ts';
import { isJson, type Json, type ScimHttp } from './scim-http.ts';

/** A kind of resources, as the service describes it. */
export interface ScimType {
  readonly name: string;
  /** The endpoint with its slash. */
  readonly endpoint: string;
  readonly schema: string;
  /** The attributes, also those of extensions, by the names that paths begin with. */
  readonly attributes: ReadonlyMap<string, ScimAttribute>;
  /** What `__NAME__` is. */
  readonly naming: string;
}

export interface ScimAttribute {
  readonly type: string;
  readonly isMultiValued: boolean;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  /** Whether the service refuses a second resource with the same value. */
  readonly isUnique: boolean;
  readonly isReturned: 'default' | 'request' | 'never';
  readonly parts: ReadonlyMap<string, ScimAttribute>;
}

export interface ScimService {
  readonly canPatch: boolean;
  readonly canFilter: boolean;
  readonly hasCursor: boolean;
  readonly mostResults: number;
  readonly types: readonly ScimType[];
}

const MOST_RESULTS = 1_000;
const NAMES: Readonly<Record<string, string>> = { [ACCOUNT]: 'User', [GROUP]: 'Group' };

/** Asks a service what it can and what it has (RFC 7644, 4). */
export async function discover(http: ScimHttp, signal: AbortSignal): Promise<ScimService> {
  const { body: config } = await http.ask('GET', '/ServiceProviderConfig', { signal });
  const types = await resourcesIn(http, '/ResourceTypes', signal);
  const schemas = await resourcesIn(http, '/Schemas', signal);
  const { filter, patch, pagination } = config;
  const most = isJson(filter) ? Number(filter['maxResults']) : Number.NaN;
  return {
    canPatch: isJson(patch) && patch['supported'] === true,
    canFilter: isJson(filter) && filter['supported'] === true,
    hasCursor: isJson(pagination) && pagination['cursor'] === true,
    mostResults: most > 0 ? Math.min(most, MOST_RESULTS) : MOST_RESULTS,
    types: types.map((type) => typeOf(type, schemas)),
  };
}

/** @throws ConnectorError `misconfigured` */
export function typeNamed({ types }: ScimService, name: string): ScimType {
  const wanted = NAMES[name] ?? name;
  const found = types.find((type) => type.name === wanted);
  if (found !== undefined) return found;
  const names = types.map((type) => type.name).join(', ');
  throw new ConnectorError('misconfigured', `The service has no '${wanted}'; it has ${names}`);
}

export function objectClassOf(type: ScimType): ObjectClass {
  const name = Object.keys(NAMES).find((one) => NAMES[one] === type.name) ?? type.name;
  const attributes = [...type.attributes].flatMap(([path, attribute]): AttributeInfo[] => {
    if (path === type.naming) return [{ name: NAME, type: 'string', isRequired: true }];
    if (path === 'password') return [{ name: PASSWORD, type: 'secret' }];
    if (attribute.type !== 'complex') return [infoOf(path, attribute)];
    if (!attribute.isMultiValued)
      return [...attribute.parts].map(([part, rule]) => infoOf(`${path}.${part}`, rule));
    const value = attribute.parts.get('value');
    return value === undefined ? [] : [{ ...infoOf(path, value), isMultiValued: true }];
  });
  return { name, attributes };
}

function infoOf(
  name: string,
  { type, isMultiValued, isRequired, isReadOnly, isReturned }: ScimAttribute,
): AttributeInfo {
  const types: Readonly<Record<string, AttributeInfo['type']>> = {
    boolean: 'boolean',
    integer: 'integer',
    decimal: 'number',
    binary: 'binary',
  };
  return {
    name,
    type: types[type] ?? 'string',
    isMultiValued,
    ...(isRequired ? { isRequired } : {}),
    ...(isReadOnly ? { isReadOnly } : {}),
    ...(isReturned === 'default' ? {} : { isReturnedByDefault: false }),
  };
}

function typeOf({ name, endpoint, schema, schemaExtensions }: Json, schemas: readonly Json[]): ScimType {
  const extensions = Array.isArray(schemaExtensions) ? schemaExtensions.filter(isJson) : [];
  const attributes = new Map<string, ScimAttribute>();
  for (const [prefix, id] of [
    ['', schema],
    ...extensions.map((one): [string, unknown] => [`${one['schema']}:`, one['schema']]),
  ]) {
    const found = schemas.find((one) => one['id'] === id);
    for (const [own, rule] of attributesOf(found?.['attributes'])) attributes.set(`${prefix}${own}`, rule);
  }
  return {
    name: String(name),
    endpoint: `/${String(endpoint).replace(/^.*\//, '')}`,
    schema: String(schema),
    attributes,
    naming: ['userName', 'displayName'].find((one) => attributes.has(one)) ?? 'id',
  };
}

function attributesOf(given: unknown): ReadonlyMap<string, ScimAttribute> {
  const all = Array.isArray(given) ? given.filter(isJson) : [];
  return new Map(
    all.map((one): [string, ScimAttribute] => [
      String(one['name']),
      {
        type: String(one['type'] ?? 'string'),
        isMultiValued: one['multiValued'] === true,
        isRequired: one['required'] === true,
        isReadOnly: one['mutability'] === 'readOnly',
        isUnique: one['uniqueness'] === 'server' || one['uniqueness'] === 'global',
        isReturned:
          one['returned'] === 'never' ? 'never' : one['returned'] === 'request' ? 'request' : 'default',
        parts: attributesOf(one['subAttributes']),
      },
    ]),
  );
}

async function resourcesIn(http: ScimHttp, path: string, signal: AbortSignal): Promise<readonly Json[]> {
  const { body } = await http.ask('GET', path, { signal });
  const resources = body['Resources'];
  if (!Array.isArray(resources)) throw new ConnectorError('protocol', `'${path}' is no list of SCIM`);
  return resources.filter(isJson);
}
