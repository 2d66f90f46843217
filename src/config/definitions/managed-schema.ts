import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { filledText, flag, jsonObject, wholeNumber } from './scalar-schema.ts';
import { scriptReference } from './script-reference-schema.ts';

const hook = () => scriptReference().nullish();

export const PROPERTY_TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'relationship',
  'null',
  'any',
] as const;

/** What only user interfaces read, and what it is there. Something else is kept, and warned of by who reads types. */
export const SHOWN = {
  title: 'text',
  description: 'text',
  label: 'text',
  viewable: 'flag',
  searchable: 'flag',
  order: 'texts',
} as const;

/** The forms of values, in the words that editors show. */
const FORMS = {
  text: { type: ['string', 'null'] },
  flag: { type: ['boolean', 'string', 'null'] },
  texts: { type: ['array', 'null'], items: { type: 'string' } },
};

const shown = (key: keyof typeof SHOWN) => z.unknown().optional().meta(FORMS[SHOWN[key]]);

const relationshipTarget = z.looseObject({
  path: z.string(),
  label: shown('label'),
  query: z
    .looseObject({
      queryFilter: z.string().optional(),
      fields: z.array(z.string()).optional(),
      sortKeys: z.array(z.string()).optional(),
    })
    .optional(),
});

const relationshipKeys = {
  reverseRelationship: flag().nullish(),
  reversePropertyName: z.string().nullish(),
  validate: flag().nullish(),
  resourceCollection: z.union([z.array(relationshipTarget), relationshipTarget]).nullish(),
};

const type = () =>
  z
    .union([z.string(), z.array(z.string())], 'must be the name of a type or an array of such')
    .meta({ examples: PROPERTY_TYPES });

const property = z.looseObject({
  title: shown('title'),
  description: shown('description'),
  type: type().optional(),
  viewable: shown('viewable'),
  searchable: shown('searchable'),
  userEditable: flag().nullish(),
  isProtected: flag().nullish(),
  /** Whether the object must have it; or, in objects inside of it, the names that must be there. */
  required: z.unknown().optional(),
  isVirtual: flag().nullish(),
  returnByDefault: flag().nullish(),
  scope: z.string().nullish(),
  minLength: wholeNumber().or(z.literal('')).nullish(),
  pattern: z.string().nullish(),
  policies: z.array(jsonObject()).nullish(),
  conditionalPolicies: z.array(jsonObject()).nullish(),
  fallbackPolicies: z.array(jsonObject()).nullish(),
  encryption: jsonObject().nullish(),
  secureHash: z.looseObject({ algorithm: filledText() }).nullish(),
  onValidate: hook(),
  onStore: hook(),
  onRetrieve: hook(),
  properties: jsonObject().optional(),
  items: z.looseObject({ type: type().optional(), ...relationshipKeys }).optional(),
  ...relationshipKeys,
});

const managedType = z.looseObject({
  name: filledText(),
  schema: z
    .looseObject({
      title: shown('title'),
      viewable: shown('viewable'),
      type: type().nullish(),
      order: shown('order'),
      required: z.array(z.string()).optional(),
      /** False: objects have no other properties. */
      additionalProperties: z.unknown().optional(),
      properties: z.record(z.string(), property).optional(),
    })
    .optional(),
  /** Bytes that an object may have. */
  maxSize: wholeNumber().optional(),
  actions: z.record(z.string(), scriptReference()).optional(),
  onCreate: hook(),
  onUpdate: hook(),
  onDelete: hook(),
  onStore: hook(),
  postCreate: hook(),
  postUpdate: hook(),
  postDelete: hook(),
  onSync: hook(),
  onRead: hook(),
  onRetrieve: hook(),
  onValidate: hook(),
});

const schema = z.looseObject({ objects: z.array(managedType).superRefine(refuseTwins).default([]) });

/** `managed.json`. Lenient: keys it does not know are metadata of someone else and are kept. */
export const managedConfig = defineConfig({ id: 'managed', schema });

export type ManagedConfig = z.output<typeof schema>;

function refuseTwins(types: readonly { readonly name: string }[], check: z.core.$RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { name }] of types.entries()) {
    if (seen.has(name)) {
      check.addIssue({
        code: 'custom',
        path: [index, 'name'],
        message: 'twin',
        params: {
          id: 'MANAGED_DUPLICATE_TYPE',
          statement: `the managed object type "${name}" stands here twice`,
        },
      });
    }
    seen.add(name);
  }
}
