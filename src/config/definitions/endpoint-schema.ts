import { z } from 'zod';
import { defineConfigFactory } from '../config-definition.ts';
import { filledText, jsonObject } from './scalar-schema.ts';
import { scriptType } from './script-reference-schema.ts';

const schema = z
  .object({
    type: scriptType(),
    source: z.string().optional(),
    file: filledText().optional(),
    context: filledText().optional(),
    globals: jsonObject().optional(),
    encrypt: z.array(z.string()).optional(),
    _methods: z
      .array(z.enum(['create', 'read', 'update', 'delete', 'patch', 'action', 'query']))
      .min(1)
      .optional(),
  })
  .catchall(z.json())
  .superRefine(({ source, file }, check) => {
    if ((source === undefined) !== (file === undefined)) return;
    check.addIssue({
      code: 'custom',
      message: 'one of two',
      params: {
        id: 'ENDPOINT_NO_SCRIPT',
        statement:
          file === undefined
            ? 'neither "source" nor "file" says which script to run'
            : '"source" and "file" exclude each other',
      },
    });
  });

/** `endpoint-<name>.json`. Further keys become variables of the script, except those that begin with `_`. */
export const endpointConfig = defineConfigFactory({ id: 'endpoint', schema });

export type EndpointConfig = z.output<typeof schema>;
