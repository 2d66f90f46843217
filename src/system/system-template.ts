import type { JsonObject, JsonValue } from '#json/index.ts';
import {
  type AttributeInfo,
  type AttributeType,
  type ConnectorKind,
  NAME,
  type ObjectClass,
  PASSWORD,
} from './contract.ts';
import { configurationTemplate } from './read-configuration.ts';

/** The connectors that there are, as files of the field name one. */
export function connectorRefs(kinds: readonly ConnectorKind[]): JsonObject[] {
  return kinds.map(refOf);
}

/** What each of them is configured by: what is a secret, what is required, and what it does. */
export function describedProperties(kinds: readonly ConnectorKind[]): JsonObject {
  return Object.fromEntries(
    kinds.map((kind): [string, JsonValue] => [
      kind.names[0] ?? kind.id,
      Object.entries(kind.properties).map(([name, { type, does, isRequired }]) => ({
        name,
        type,
        does,
        required: isRequired === true,
      })),
    ]),
  );
}

function refOf({ id, names, displayName }: ConnectorKind): JsonObject {
  return {
    connectorName: names[0] ?? id,
    bundleName: `svc-${id}-connector`,
    bundleVersion: '1.0.0',
    displayName,
    systemType: 'provisioner.openicf',
  };
}

/** What the file of a system with this connector begins with. */
export function coreTemplate(kind: ConnectorKind): JsonObject {
  return {
    connectorRef: refOf(kind),
    enabled: true,
    poolConfigOption: { maxObjects: 10, maxWait: 150_000 },
    operationTimeout: Object.fromEntries(
      ['CREATE', 'UPDATE', 'DELETE', 'TEST', 'GET', 'AUTHENTICATE', 'SEARCH', 'SCHEMA'].map((operation) => [
        operation,
        30_000,
      ]),
    ),
    resultsHandlerConfig: {
      enableFilteredResultsHandler: kind.id !== 'ldap',
      enableCaseInsensitiveFilter: false,
    },
    configurationProperties: configurationTemplate(kind),
  };
}

const TYPES: Readonly<Record<AttributeType, readonly [string, string]>> = {
  string: ['string', 'string'],
  integer: ['integer', 'JAVA_TYPE_LONG'],
  number: ['number', 'JAVA_TYPE_DOUBLE'],
  boolean: ['boolean', 'JAVA_TYPE_BOOLEAN'],
  binary: ['string', 'JAVA_TYPE_BYTE_ARRAY'],
  secret: ['string', 'JAVA_TYPE_GUARDEDSTRING'],
};

/** `objectTypes` of a file, as the other system describes itself. */
export function objectTypesTemplate(classes: readonly ObjectClass[]): JsonObject {
  return Object.fromEntries(
    classes.map(({ name, attributes }): [string, JsonValue] => [
      name.replace(/^__(.*)__$/, '$1').toLowerCase(),
      {
        $schema: 'http://json-schema.org/draft-03/schema',
        id: name,
        type: 'object',
        nativeType: name,
        properties: Object.fromEntries(
          attributes.map((attribute) => [propertyName(attribute), propertyOf(attribute)]),
        ),
      },
    ]),
  );
}

const NAMES: ReadonlyMap<string, string> = new Map([
  [NAME, 'name'],
  [PASSWORD, 'password'],
]);

function propertyName({ name }: AttributeInfo): string {
  return NAMES.get(name) ?? name.replace(/^__(.*)__$/, '$1').replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

function propertyOf({
  name,
  type,
  isMultiValued,
  isRequired,
  isReadOnly,
  isReturnedByDefault,
}: AttributeInfo): JsonObject {
  const [word, nativeType] = TYPES[type];
  const flags = [
    ...(isReadOnly === true ? ['NOT_CREATABLE', 'NOT_UPDATEABLE'] : []),
    ...(type === 'secret' ? ['NOT_READABLE', 'NOT_RETURNED_BY_DEFAULT'] : []),
    ...(isReturnedByDefault === false && type !== 'secret' ? ['NOT_RETURNED_BY_DEFAULT'] : []),
  ];
  return {
    ...(isMultiValued === true ? { type: 'array', items: { type: word, nativeType } } : { type: word }),
    nativeName: name,
    nativeType,
    ...(isRequired === true ? { required: true } : {}),
    ...(flags.length === 0 ? {} : { flags }),
  };
}
