import type { AuthenticationConfig, Objection } from '#config/index.ts';

/** What modules that are right all the same do not do, though it may be expected of them. */
export function moduleDoubts({
  serverAuthContext: { authModules },
}: AuthenticationConfig): readonly Objection[] {
  return authModules.flatMap(({ name, enabled, properties }, index) => {
    if (!enabled) return [];
    const isEmpty = (property: string) => {
      const value = properties[property];
      return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    };
    const missing = BELIEVES_A_PROXY[name]?.filter(isEmpty) ?? [];
    if (missing.length === 0) return [];
    return [
      {
        id: 'AUTH_MODULE_DOUBT',
        field: `/serverAuthContext/authModules/${index}`,
        message: `${name} lets nobody in without ${missing.join(', ')}`,
        isWarning: true,
      },
    ];
  });
}

const BELIEVES_A_PROXY: Readonly<Record<string, readonly string[]>> = {
  CLIENT_CERT: ['header', 'trustedProxies', 'allowedAuthenticationIdPatterns'],
  TRUSTED_ATTRIBUTE: ['trustedProxies'],
};
