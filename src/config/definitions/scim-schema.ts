import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { filledText, jsonObject } from './scalar-schema.ts';

const attribute = z.strictObject({
  /**
   * Where the attribute stands in the SCIM resource: `userName`, `name.givenName`, `emails[type eq "work"].value`, with the URN
   * of its extension in front (`urn:…:User:department`) where it is not of the core schema.
   */
  scim: filledText(),
  /** The managed property, a JSON pointer. Absent of an `externalId`, which is kept for each client. */
  managed: z.string().optional(),
  description: z.string().optional(),
  mutability: z.enum(['readWrite', 'readOnly', 'immutable', 'writeOnly']).optional(),
  returned: z.enum(['default', 'always', 'request', 'never']).optional(),
  uniqueness: z.enum(['none', 'server', 'global']).optional(),
  required: z.boolean().optional(),
  /** Whether upper and lower case differ in a text; default false, as RFC 7643 has it. */
  caseExact: z.boolean().optional(),
  /** How a boolean is stored: `{"true": "active", "false": "inactive"}`. */
  values: z.strictObject({ true: z.string(), false: z.string() }).optional(),
});

const resourceType = z.strictObject({
  name: filledText(),
  /** Such as `/Users`. */
  endpoint: z.string().regex(/^\/[A-Za-z][\w-]*$/, 'must be a slash and a name, such as /Users'),
  description: z.string().optional(),
  /** The collection of its objects, such as `managed/user`. */
  managed: z.string().regex(/^managed\/[^/]+$/, 'must be a managed collection, such as managed/user'),
  schema: filledText(),
  extensions: z
    .array(z.strictObject({ schema: filledText(), required: z.boolean().default(false) }))
    .default([]),
  /** What a DELETE does; `deactivate` needs the attribute `active`, which it sets to false. */
  onDelete: z.enum(['delete', 'deactivate']).default('delete'),
  /**
   * What becomes of a path of a PATCH that no attribute is about; as a key of a resource it is passed over in any case. Entra ID
   * sends some until they are taken out of its mapping.
   */
  unmapped: z.enum(['refuse', 'ignore']).default('refuse'),
  /** What a new object has where no attribute gives it, by property. */
  defaults: jsonObject().default({}),
  attributes: z.array(attribute),
});

const schema = z.strictObject({
  /** What clients find at `/scim/v2`; none: nothing. */
  resourceTypes: z.array(resourceType).default([]),
});

/** `scim.json`: which managed types are SCIM resources, and which of their properties are which attributes. */
export const scimConfig = defineConfig({ id: 'scim', schema });

export type ScimConfig = z.output<typeof schema>;
export type ScimResourceTypeConfig = ScimConfig['resourceTypes'][number];
export type ScimAttributeConfig = ScimResourceTypeConfig['attributes'][number];
