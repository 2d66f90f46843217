import type { JsonObject, PatchOperation } from '#client/index.ts';
import type { Declared, DeclaredType, Managed } from '../../declared/managed.ts';

export const KINDS = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;

/** What of a property can be set here; all else of it stays as it is. */
export interface Draft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Undefined of what is more than one of the kinds, such as a relationship. */
  readonly kind: (typeof KINDS)[number] | undefined;
  readonly isRequired: boolean;
  readonly isSearchable: boolean;
  readonly isUserEditable: boolean;
  readonly policies: readonly DraftPolicy[];
}

/** A policy as it is declared, whatever else the declaration says of it. */
export interface DraftPolicy extends JsonObject {
  readonly policyId: string;
}

export const UNIQUE = 'unique';

export function draftOf({ schema }: DeclaredType, name: string | undefined): Draft {
  const property = name === undefined ? undefined : schema.properties?.[name];
  const { title = '', description, type, searchable, userEditable, policies }: Declared = property ?? {};
  const plain = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  return {
    name: name ?? '',
    title,
    description: typeof description === 'string' ? description : '',
    kind: property === undefined ? 'string' : KINDS.find((kind) => kind === plain),
    isRequired: name !== undefined && schema.required?.includes(name) === true,
    isSearchable: searchable === true,
    isUserEditable: userEditable === true,
    policies: listOf(policies).filter(isPolicy),
  };
}

function listOf(value: Declared[string]): readonly JsonObject[string][] {
  return Array.isArray(value) ? value : [];
}

function isPolicy(policy: JsonObject[string]): policy is DraftPolicy {
  return typeof policy === 'object' && policy !== null && 'policyId' in policy;
}

/** The declaration with what was set, and with everything else that it had. */
function declare(draft: Draft, old: Declared = {}): Declared {
  const { type, policies: _, ...others } = old;
  const isNullable = Array.isArray(type) && type.includes('null');
  const kind = draft.kind ?? (Array.isArray(type) ? type[0] : type) ?? 'string';
  const declared: Record<string, JsonObject[string]> = {
    ...others,
    title: draft.title === '' ? draft.name : draft.title,
    type: isNullable ? [kind, 'null'] : kind,
    searchable: draft.isSearchable,
    userEditable: draft.isUserEditable,
  };
  if (draft.description === '') delete declared['description'];
  else declared['description'] = draft.description;
  if (draft.policies.length > 0) declared['policies'] = [...draft.policies];
  return declared;
}

/** The schema of the type as it would be. */
function schemaWith({ schema }: DeclaredType, draft: Draft): JsonObject {
  const { name, isRequired } = draft;
  const { properties = {}, order = [], required = [] } = schema;
  return {
    ...schema,
    properties: { ...properties, [name]: declare(draft, properties[name]) },
    order: order.includes(name) ? [...order] : [...order, name],
    required: isRequired ? [...new Set([...required, name])] : required.filter((each) => each !== name),
  };
}

/** `managed.json` as it would be. */
export function withProperty({ content }: Managed, declared: DeclaredType, draft: Draft): JsonObject {
  const objects = content.objects.map((each) =>
    each.name === declared.name ? { ...each, schema: schemaWith(each, draft) } : each,
  );
  return JSON.parse(JSON.stringify({ ...content, objects }));
}

/** As little as makes it so. @param change without an `after` the property goes */
export function operationsOf(
  { content }: Managed,
  declared: DeclaredType,
  { before, after }: { readonly before: Draft; readonly after: Draft | undefined },
): readonly PatchOperation[] {
  if (after !== undefined && JSON.stringify(before) === JSON.stringify(after)) return [];
  const at = content.objects.findIndex(({ name }) => name === declared.name);
  const { properties = {}, order = [], required = [] } = declared.schema;
  const place = `/objects/${at}/schema`;
  const { name } = after ?? before;
  if (after === undefined) {
    const without = (names: readonly string[]) => names.filter((each) => each !== name);
    return [
      { operation: 'remove', field: `${place}/properties/${name}` },
      { operation: 'replace', field: `${place}/order`, value: without(order) },
      { operation: 'replace', field: `${place}/required`, value: without(required) },
    ];
  }
  const isOrdered = order.includes(name);
  const isChanged = after.isRequired !== required.includes(name);
  return [
    { operation: 'add', field: `${place}/properties/${name}`, value: declare(after, properties[name]) },
    ...(isOrdered
      ? []
      : [{ operation: 'replace' as const, field: `${place}/order`, value: [...order, name] }]),
    ...(isChanged
      ? [
          {
            operation: 'replace' as const,
            field: `${place}/required`,
            value: after.isRequired ? [...required, name] : required.filter((each) => each !== name),
          },
        ]
      : []),
  ];
}
