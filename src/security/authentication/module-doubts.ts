import {
  type AuthenticationConfig,
  type ManagedConfig,
  type Objection,
  openProperties,
} from '#config/index.ts';

/** What modules that are right all the same do not do, though it may be expected of them. */
export function moduleDoubts({
  serverAuthContext: { authModules },
}: AuthenticationConfig): readonly Objection[] {
  return authModules.flatMap(({ name, enabled, properties, absent: instead }, index) => {
    if (!enabled) return [];
    const doubt = (why: string, hint?: string): readonly Objection[] => [
      {
        id: 'AUTH_MODULE_DOUBT',
        field: `/serverAuthContext/authModules/${index}`,
        message: `${name} lets nobody in${why}`,
        ...(hint === undefined ? {} : { hint }),
        isWarning: true,
      },
    ];
    if (instead !== undefined) return doubt(': there is no such module here', instead);
    const open = name === 'STATIC_USER' ? openProperties(properties) : [];
    if (open.length > 0) {
      return doubt(
        `: ${open.join(' and ')} refer to what has no value`,
        'Declare it in conf/boot/boot.properties',
      );
    }
    const isEmpty = (property: string) => {
      const value = properties[property];
      return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    };
    const { queryId } = properties;
    if (name === 'MANAGED_USER' && typeof queryId === 'string' && !BY_NAME.has(queryId)) {
      return doubt(
        ` by the query '${queryId}'`,
        'Accounts are found by the property that propertyMapping.authenticationId names',
      );
    }
    const missing = BELIEVES_A_PROXY[name]?.filter(isEmpty) ?? [];
    return missing.length === 0 ? [] : doubt(` without ${missing.join(', ')}`);
  });
}

/** What these queries ask is what the module asks anyway. */
const BY_NAME: ReadonlySet<string> = new Set(['credential-query', 'for-userName']);

const BELIEVES_A_PROXY: Readonly<Record<string, readonly string[]>> = {
  CLIENT_CERT: ['header', 'trustedProxies', 'allowedAuthenticationIdPatterns'],
  TRUSTED_ATTRIBUTE: ['trustedProxies'],
};

/** Modules that believe who states a name, and find accounts by what those may write whom it is about. */
export function nameDoubts(
  { serverAuthContext: { authModules } }: AuthenticationConfig,
  { objects }: ManagedConfig,
): readonly Objection[] {
  return authModules.flatMap(({ known }, index) => {
    if (known?.name !== 'OPENID_CONNECT' && known?.name !== 'TRUSTED_ATTRIBUTE') return [];
    const { queryOnResource, propertyMapping } = known.settings;
    const { authenticationId } = propertyMapping;
    const type = objects.find(({ name }) => `managed/${name}` === queryOnResource);
    if (String(type?.schema?.properties?.[authenticationId]?.userEditable ?? false) === 'false') return [];
    return [
      {
        id: 'AUTH_NAME_EDITABLE',
        field: `/serverAuthContext/authModules/${index}/properties/propertyMapping/authenticationId`,
        message: `${known.name} finds accounts by '${authenticationId}', which people may edit themselves: who takes the name of somebody who has no account yet is sent their callers`,
        hint: `Take userEditable from ${queryOnResource}/${authenticationId}, or find accounts by another property`,
        isWarning: true,
      },
    ];
  });
}
