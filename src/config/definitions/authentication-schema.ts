import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { filledText, flag, jsonObject } from './scalar-schema.ts';

const authModule = z.looseObject({
  name: filledText(),
  enabled: flag().prefault(true),
  properties: jsonObject().default({}),
});

const schema = z.looseObject({
  serverAuthContext: z
    .looseObject({
      sessionModule: authModule.optional(),
      authModules: z.array(authModule).default([]),
    })
    .prefault({}),
});

/** `authentication.json`: the modules that are asked in order. What a module's properties mean, it knows. */
export const authenticationConfig = defineConfig({
  id: 'authentication',
  schema,
  unread: {},
});

export type AuthenticationConfig = z.output<typeof schema>;
