import type { ProvisionerConfig, SystemObjectConfig, SystemPropertyConfig } from '#config/index.ts';
import { NAME, PASSWORD, UID } from './contract.ts';

export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'binary' | 'any';

/** A property of an object of a system, and the attribute that it is there. */
export interface SystemProperty {
  readonly name: string;
  readonly native: string;
  readonly type: ValueType;
  readonly isMultiValued: boolean;
  readonly isRequired: boolean;
  /** It goes out only, and is shown nowhere. */
  readonly isSecret: boolean;
  readonly isCreatable: boolean;
  readonly isUpdateable: boolean;
  readonly isReadable: boolean;
  readonly isReturnedByDefault: boolean;
  /** The alias of the key under which it is encrypted when it is read. */
  readonly key: string | undefined;
  readonly cipher: string | undefined;
}

/** What can be asked of objects of one kind. */
export type ObjectOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'GET' | 'SEARCH' | 'AUTHENTICATE';

/** A kind of objects that a system shows, such as `account`. */
export interface SystemObjectType {
  readonly name: string;
  readonly native: string;
  readonly properties: ReadonlyMap<string, SystemProperty>;
  readonly denied: ReadonlySet<string>;
}

const GUARDED = 'JAVA_TYPE_GUARDEDSTRING';
const BINARY = new Set(['JAVA_TYPE_BYTE_ARRAY', 'JAVA_TYPE_PRIMITIVE_BYTE', 'JAVA_TYPE_BYTE']);
const BY_NATIVE: Readonly<Record<string, ValueType>> = {
  JAVA_TYPE_BIGDECIMAL: 'number',
  JAVA_TYPE_DOUBLE: 'number',
  JAVA_TYPE_FLOAT: 'number',
  JAVA_TYPE_PRIMITIVE_DOUBLE: 'number',
  JAVA_TYPE_PRIMITIVE_FLOAT: 'number',
  JAVA_TYPE_BIGINTEGER: 'integer',
  JAVA_TYPE_INT: 'integer',
  JAVA_TYPE_INTEGER: 'integer',
  JAVA_TYPE_LONG: 'integer',
  JAVA_TYPE_PRIMITIVE_INT: 'integer',
  JAVA_TYPE_PRIMITIVE_LONG: 'integer',
  JAVA_TYPE_BOOLEAN: 'boolean',
  JAVA_TYPE_PRIMITIVE_BOOLEAN: 'boolean',
};
const BY_TYPE: Readonly<Record<string, ValueType>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
};

/** The words that `type` of a property may be. */
export const PROPERTY_TYPES = [...Object.keys(BY_TYPE), 'array', 'object', 'any', 'null'];

export function compileObjectTypes(config: ProvisionerConfig): ReadonlyMap<string, SystemObjectType> {
  return new Map(
    Object.entries(config.objectTypes).map(([name, type]) => [name, compileObjectType(name, type, config)]),
  );
}

function compileObjectType(
  name: string,
  { nativeType, properties }: SystemObjectConfig,
  { operationOptions }: ProvisionerConfig,
): SystemObjectType {
  const compiled = Object.entries(properties)
    .filter(([property]) => property !== '_id')
    .map(([property, rule]): [string, SystemProperty] => [property, compileProperty(property, rule)]);
  const denied = Object.entries(operationOptions).flatMap(([operation, option]) =>
    isDenied(name, option) ? [operation] : [],
  );
  return { name, native: nativeType, properties: new Map(compiled), denied: new Set(denied) };
}

/** `denied` always denies, be it for all types or for one. */
function isDenied(
  type: string,
  option: NonNullable<ProvisionerConfig['operationOptions'][keyof ProvisionerConfig['operationOptions']]>,
): boolean {
  const { denied = false, supportedObjectTypes, objectFeatures } = option;
  const own = objectFeatures?.[type]?.denied;
  if (own !== undefined) return own;
  const types = supportedObjectTypes ?? [];
  return denied && (types.length === 0 || types.includes(type));
}

function compileProperty(name: string, rule: SystemPropertyConfig): SystemProperty {
  const { nativeName: native = name, nativeType = '', type } = rule;
  const flags = new Set(rule.flags ?? []);
  const words = Array.isArray(type) ? type : [type];
  const isMultiValued = words.includes('array') || flags.has('MULTIVALUED');
  const item = words.includes('array') ? rule.items : undefined;
  const itemNative = typeof item?.['nativeType'] === 'string' ? item['nativeType'] : nativeType;
  const word = item === undefined ? words.find((one) => one !== 'null' && one !== 'array') : item['type'];
  const isSecret = itemNative === GUARDED || native === PASSWORD;
  return {
    name,
    native,
    type: BINARY.has(itemNative) ? 'binary' : typeOf(word, itemNative),
    isMultiValued,
    isRequired: rule.required === true,
    isSecret,
    isCreatable: !flags.has('NOT_CREATABLE'),
    isUpdateable: !flags.has('NOT_UPDATEABLE') && native !== UID,
    isReadable: !flags.has('NOT_READABLE') && !isSecret,
    isReturnedByDefault: !flags.has('NOT_RETURNED_BY_DEFAULT'),
    key: rule.key ?? undefined,
    cipher: rule.cipher ?? undefined,
  };
}

function typeOf(word: unknown, native: string): ValueType {
  if (native === 'binary') return 'binary';
  const named = typeof word === 'string' ? BY_TYPE[word] : undefined;
  if (named === 'string' || named === undefined) {
    const exact = BY_NATIVE[native];
    return named ?? exact ?? 'any';
  }
  return named;
}

/** The attributes to be asked for, so that these properties can be shown. */
export function nativeNames(properties: Iterable<SystemProperty>): readonly string[] {
  const names = new Set([...properties].filter(({ isReadable }) => isReadable).map(({ native }) => native));
  names.delete(UID);
  names.delete(NAME);
  return [...names];
}

export function binaryNames({ properties }: SystemObjectType): readonly string[] {
  return [...properties.values()].filter(({ type }) => type === 'binary').map(({ native }) => native);
}
