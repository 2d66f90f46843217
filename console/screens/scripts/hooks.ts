/** What of `managed.json` says which scripts run. */
export interface ManagedConfig {
  readonly objects?: readonly ConfiguredType[];
}

interface ConfiguredType {
  readonly name: string;
  readonly schema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

export interface Hook {
  readonly type: string;
  /** Such as `onUpdate`. */
  readonly use: string;
  readonly property?: string;
  readonly field: string;
  /** Undefined where the script stands in the configuration itself. */
  readonly file: string | undefined;
}

const NAME = /^(?:on|post)[A-Z]\w+$/;

export function hooksOf({ objects = [] }: ManagedConfig): readonly Hook[] {
  return objects.flatMap((type, at) => [
    ...hooksIn(type, { type: type.name, field: `/objects/${at}` }),
    ...Object.entries(type.schema?.properties ?? {}).flatMap(([property, value]) =>
      hooksIn(value, {
        type: type.name,
        property,
        field: `/objects/${at}/schema/properties/${property}`,
      }).map((hook) => ({ ...hook, use: `property${hook.use[0]?.toUpperCase()}${hook.use.slice(1)}` })),
    ),
  ]);
}

function hooksIn(value: unknown, at: Omit<Hook, 'use' | 'file'>): readonly Hook[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([use, script]: [string, unknown]): Hook[] => {
    if (!NAME.test(use) || typeof script !== 'object' || script === null) return [];
    const file = 'file' in script && typeof script.file === 'string' ? script.file : undefined;
    return [{ ...at, use, field: `${at.field}/${use}`, file }];
  });
}
