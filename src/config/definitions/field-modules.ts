import { isObject, type JsonObject } from '#json/index.ts';

/** A module as it stands in `authentication.json`. */
export interface WrittenModule {
  readonly name: string;
  readonly properties?: JsonObject;
}

const OTHER_ISSUERS = 'OPENID_CONNECT modules know other issuers by "issuer" and "audience"';
const BEHIND_A_PROXY = 'A proxy can ask who somebody is, and CLIENT_CERT or TRUSTED_ATTRIBUTE believe it';

/** Modules that servers of the field have and this one has not, and what takes their place. */
const NOT_HERE: Readonly<Record<string, string>> = {
  PASSTHROUGH: 'It asks other systems, and there is no synchronisation with them yet',
  SOCIAL_PROVIDERS: OTHER_ISSUERS,
  OAUTH_CLIENT: OTHER_ISSUERS,
  OPENAM: OTHER_ISSUERS,
  OPENAM_SESSION: OTHER_ISSUERS,
  DELEGATED: OTHER_ISSUERS,
  IWA: BEHIND_A_PROXY,
};

/**
 * Why a module of the field lets nobody in here; undefined for one that is here. Nobody gets in by it, so nothing is less
 * safe without it, and all other ways are as they were.
 */
export function absentModule({ name, properties = {} }: WrittenModule): string | undefined {
  if (Object.hasOwn(NOT_HERE, name)) return NOT_HERE[name];
  const { resolvers, issuer } = properties;
  return name === 'OPENID_CONNECT' && resolvers !== undefined && issuer === undefined
    ? OTHER_ISSUERS
    : undefined;
}

/**
 * The properties of a module by the names that they have here. What modules of the field call the name of somebody is a
 * parameter of their query; newer servers call `repo/internal` `internal`, and roles of internal users otherwise.
 */
export function withOwnNames(properties: JsonObject): JsonObject {
  const { queryOnResource, queryId, propertyMapping } = properties;
  const place =
    typeof queryOnResource === 'string'
      ? queryOnResource.replace(/^internal\//, 'repo/internal/')
      : undefined;
  const mapping = isObject(propertyMapping) ? { ...propertyMapping } : undefined;
  if (mapping !== undefined && queryId === 'credential-query' && mapping['authenticationId'] === 'username') {
    mapping['authenticationId'] = 'userName';
  }
  if (mapping !== undefined && place === 'repo/internal/user' && mapping['userRoles'] === 'authzRoles') {
    mapping['userRoles'] = 'roles';
  }
  return {
    ...properties,
    ...(place === undefined ? {} : { queryOnResource: place }),
    ...(mapping === undefined ? {} : { propertyMapping: mapping }),
  };
}

/** The properties of a `STATIC_USER` that refer to others without a value: everybody can read what stands there. */
export function openProperties(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return ['username', 'password'].filter((name) => {
    const value = properties[name];
    return typeof value === 'string' && value.includes('&{');
  });
}
