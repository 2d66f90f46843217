import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { json, jsonObject } from './scalar-schema.ts';

const property = z.object({ name: z.string(), policies: z.array(jsonObject()).default([]) }).catchall(json());

const resource = z
  .object({ resource: z.string(), properties: z.array(property).default([]) })
  .catchall(json());

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
