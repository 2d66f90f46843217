import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { jsonObject } from './scalar-schema.ts';

const resource = z.looseObject({
  resource: z.string(),
  properties: z
    .array(z.looseObject({ name: z.string(), policies: z.array(jsonObject()).default([]) }))
    .default([]),
});

const schema = z.looseObject({
  /** Script files that declare further policies with `addPolicy`. */
  additionalFiles: z.array(z.string()).default([]),
  /** Rules for objects by their path, beside those that the schemas of managed types give. */
  resources: z.array(resource).default([]),
});

/** `policy.json`. Other keys, such as the type and file of the policy script, belong to other servers. */
export const policyConfig = defineConfig({
  id: 'policy',
  schema,
  unread: {
    hint: 'The policies of the field are built in; name files with further ones in "additionalFiles"',
  },
});
