import type { JsonObject } from '#json/index.ts';
import type { Attribute, Characteristics, ResourceType, SubAttribute } from './resource-type.ts';

/** What one bulk request and one page may hold. */
export const LIMITS = { operations: 1_000, results: 1_000, page: 100 } as const;

/** The endpoints that say what there is. They change with the configuration alone. */
export const DISCOVERY: ReadonlySet<string> = new Set(['ServiceProviderConfig', 'ResourceTypes', 'Schemas']);

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

/** What this service can (RFC 7643, 5). */
export function serviceProviderConfig(
  types: readonly ResourceType[],
  base: string,
  bodyLimitBytes: number,
): JsonObject {
  const takesPasswords = types.some(({ attributes }) =>
    attributes.some(({ name, mutability }) => name === 'password' && mutability !== 'readOnly'),
  );
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: LIMITS.operations, maxPayloadSize: bodyLimitBytes },
    filter: { supported: true, maxResults: LIMITS.results },
    changePassword: { supported: takesPasswords },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: LIMITS.page,
      maxPageSize: LIMITS.results,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token of a configured issuer, or a key of /apikey as its id, a dot and its secret',
        primary: true,
      },
      { type: 'httpbasic', name: 'Basic', description: 'User name and password of an account' },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypeAnswer(type: ResourceType, base: string): JsonObject {
  return {
    schemas: [`${CORE}:ResourceType`],
    id: type.name,
    name: type.name,
    endpoint: `/${type.endpoint}`,
    description: type.description,
    schema: type.schema,
    ...(type.extensions.length === 0
      ? {}
      : { schemaExtensions: type.extensions.map(({ schema, required }) => ({ schema, required })) }),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  };
}

/** Each schema once, whichever types have it: with all attributes that it has in any of them. */
export function schemaAnswers(types: readonly ResourceType[], base: string): readonly JsonObject[] {
  const schemas = types.flatMap((type) => schemasOfType(type));
  const attributes = types.flatMap((type) => type.attributes);
  return schemas
    .filter(({ id }, at) => schemas.findIndex((one) => one.id === id) === at)
    .map((schema) => ({
      schemas: [`${CORE}:Schema`],
      ...schema,
      attributes: distinct(attributes.filter((one) => one.schema === schema.id)).map((one) =>
        attributeAnswer(one, types),
      ),
      meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
    }));
}

/** The first of the attributes that have the same name. */
function distinct(attributes: readonly Attribute[]): readonly Attribute[] {
  const named = new Map<string, Attribute>();
  for (const one of attributes) {
    const name = one.name.toLowerCase();
    if (!named.has(name)) named.set(name, one);
  }
  return [...named.values()];
}

/** The schema of a resource type, and those of its extensions. */
function schemasOfType(type: ResourceType) {
  return [
    { id: type.schema, name: type.name, description: type.description },
    ...type.extensions.map(({ schema }) => ({
      id: schema,
      name: `${schema.includes('enterprise') ? 'Enterprise' : 'Extended '}${type.name}`,
      description: `What ${type.name} has beside its core`,
    })),
  ];
}

function attributeAnswer(attribute: Attribute, types: readonly ResourceType[]): JsonObject {
  const { binding, subAttributes } = attribute;
  const collections = binding.kind === 'reference' ? binding.collections : [];
  const referenceTypes = types
    .filter(({ collection }) => collections.includes(collection))
    .map(({ name }) => name);
  const parts = subAttributes.map((part: SubAttribute) => ({
    ...characteristics(part),
    ...(part.type === 'reference' ? { referenceTypes } : {}),
  }));
  return { ...characteristics(attribute), ...(parts.length === 0 ? {} : { subAttributes: parts }) };
}

function characteristics(of: Characteristics): JsonObject {
  const { name, type, multiValued, description, required, caseExact, mutability, returned, uniqueness } = of;
  return {
    name,
    type,
    multiValued,
    description: description === '' ? name : description,
    required,
    caseExact,
    mutability,
    returned,
    uniqueness,
    ...(of.canonicalValues === undefined ? {} : { canonicalValues: [...of.canonicalValues] }),
  };
}
