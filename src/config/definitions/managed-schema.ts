import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { filledText, flag, jsonObject, wholeNumber } from './scalar-schema.ts';
import { scriptReference } from './script-reference-schema.ts';

const hook = () => scriptReference().optional();

const relationshipTarget = z.looseObject({
  path: z.string(),
  label: z.string().optional(),
  query: z
    .looseObject({
      queryFilter: z.string().optional(),
      fields: z.array(z.string()).optional(),
      sortKeys: z.array(z.string()).optional(),
    })
    .optional(),
});

const relationshipKeys = {
  reverseRelationship: flag().optional(),
  reversePropertyName: z.string().optional(),
  validate: flag().optional(),
  resourceCollection: z.array(relationshipTarget).optional(),
};

const type = () =>
  z.union([z.string(), z.array(z.string())], 'must be the name of a type or an array of such');

const property = z.looseObject({
  title: z.string().optional(),
  description: z.string().nullish(),
  type: type().optional(),
  viewable: flag().optional(),
  searchable: flag().optional(),
  userEditable: flag().optional(),
  isProtected: flag().optional(),
  /** Of the object; or, in objects inside of it, the names that must be there. */
  required: z.unknown().optional(),
  isVirtual: flag().optional(),
  returnByDefault: flag().optional(),
  scope: z.string().optional(),
  minLength: wholeNumber().nullish(),
  pattern: z.string().nullish(),
  policies: z.array(jsonObject()).optional(),
  conditionalPolicies: z.array(jsonObject()).optional(),
  fallbackPolicies: z.array(jsonObject()).optional(),
  encryption: jsonObject().optional(),
  secureHash: z.looseObject({ algorithm: filledText() }).optional(),
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
      title: z.string().optional(),
      viewable: flag().optional(),
      type: type().optional(),
      order: z.array(z.string()).optional(),
      required: z.array(z.string()).optional(),
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
