import { z } from 'zod';
import { didYouMean } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { defineConfig } from '../config-definition.ts';
import { AUTH_MODULES, type KnownModule, sessionSettings } from './auth-module-schema.ts';
import { absentModule, withOwnNames } from './field-modules.ts';
import { filledText, flag, jsonObject } from './scalar-schema.ts';

const SWITCH_OFF = 'one that is not to be asked takes "enabled": false';

type Check = z.core.$RefinementCtx;

/** Where the properties of a module stand, for messages and in the file. */
interface Place {
  readonly named: string;
  readonly path: readonly PropertyKey[];
}

/** Tells what a schema has against the properties of a module. */
function refuse(
  check: Check,
  issues: readonly z.core.$ZodIssue[],
  properties: JsonObject,
  { named, path: at }: Place,
): void {
  for (const { path, message } of issues) {
    const [key, ...inner] = path;
    const isMissing = inner.length === 0 && properties[String(key)] === undefined;
    const property = `"${path.map(String).join('.')}"`;
    const params = isMissing
      ? { id: 'AUTH_BAD_MODULE', statement: `${named} needs the property ${property}`, hint: SWITCH_OFF }
      : { id: 'AUTH_BAD_MODULE', statement: `${named} has a wrong ${property}: ${message}` };
    check.addIssue({ code: 'custom', message, params, path: [...at, ...(isMissing ? [] : path)] });
  }
}

function isKnown(name: string): name is keyof typeof AUTH_MODULES {
  return Object.hasOwn(AUTH_MODULES, name);
}

function refuseName(check: Check, name: string, { named, path }: Place): void {
  const names = Object.keys(AUTH_MODULES);
  const params = {
    id: 'AUTH_BAD_MODULE',
    statement: `${named}: there is no authentication module '${name}'`,
    hint: didYouMean(name, names) ?? `There are ${names.join(', ')}; ${SWITCH_OFF}`,
  };
  check.addIssue({ code: 'custom', message: 'no such module', params, path: [...path] });
}

/** The schema of the properties of a module, for editors. */
function described(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}

const module = z
  .looseObject({
    name: filledText(),
    enabled: flag().prefault(true),
    properties: jsonObject().default({}),
  })
  .meta({
    allOf: Object.entries(AUTH_MODULES).map(([name, { schema }]) => ({
      if: { properties: { name: { const: name }, enabled: { enum: [true, 'true'] } } },
      // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
      then: { properties: { properties: described(schema) } },
    })),
  });

/** Modules that are switched off, and those that are not here, may have any properties. */
const authModules = z.array(module).transform((modules, check) =>
  modules.map((written, index) => {
    const { name, enabled } = written;
    const properties = withOwnNames(written.properties);
    const absent = absentModule(written);
    let known: KnownModule | undefined;
    if (enabled && absent === undefined) {
      const named = `${name} in serverAuthContext.authModules[${index}]`;
      const read = isKnown(name) ? AUTH_MODULES[name].read(properties) : undefined;
      if (read === undefined) refuseName(check, name, { named, path: [index, 'name'] });
      else if (read.known === undefined)
        refuse(check, read.issues, properties, { named, path: [index, 'properties'] });
      known = read?.known;
    }
    return {
      name,
      enabled,
      properties,
      /** What takes its place, where servers of the field have it and this one has not. */
      absent,
      /** Undefined of one that is not asked. */
      known,
    };
  }),
);

const sessionModule = z
  .looseObject({
    name: filledText(),
    enabled: flag().prefault(true),
    properties: jsonObject().meta(described(sessionSettings)).default({}),
  })
  .transform(({ enabled, properties }, check) => {
    if (!enabled) return undefined;
    const { success, data, error } = sessionSettings.safeParse(properties);
    if (success) return data;
    refuse(check, error.issues, properties, {
      named: 'serverAuthContext.sessionModule',
      path: ['properties'],
    });
    return z.NEVER;
  });

const schema = z.looseObject({
  serverAuthContext: z
    .looseObject({
      /** The settings of sessions; undefined where there are to be none. */
      sessionModule: sessionModule.prefault({ name: 'JWT_SESSION' }),
      /** The modules in the order in which they are asked. */
      authModules: authModules.prefault([]),
      /**
       * Roles whose callers grant roles that they do not have themselves, as administrators do; `*`: whoever may write accounts
       * makes of them what they like.
       */
      grantsAnyRole: z.array(filledText()).prefault([]),
    })
    .prefault({}),
});

/** `authentication.json`: sessions, and the modules that say who a caller is. */
export const authenticationConfig = defineConfig({
  id: 'authentication',
  schema,
  unread: {},
});

export type AuthenticationConfig = z.output<typeof schema>;
