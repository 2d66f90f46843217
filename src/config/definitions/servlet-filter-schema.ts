import { z } from 'zod';
import { isObject } from '#json/index.ts';
import { defineConfigFactory } from '../config-definition.ts';

/** Names between commas, or a list of them. */
const names = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (Array.isArray(value) ? value : value.split(',')).map((name) => name.trim()).filter(Boolean),
  );

const schema = z.looseObject({
  filterClass: z.string().optional(),
  initParams: z
    .looseObject({
      allowedOrigins: names.prefault(''),
      allowedMethods: names.prefault('GET,POST,HEAD'),
      allowedHeaders: names.prefault('X-Requested-With,Content-Type,Accept,Origin'),
      exposedHeaders: names.prefault(''),
      allowCredentials: z.union([z.boolean(), z.string()]).prefault(false),
      preflightMaxAge: z.union([z.number(), z.string()]).prefault(600),
    })
    .prefault({}),
});
export type ServletFilterConfig = z.output<typeof schema>;

/** Scheme, host and port, as browsers say where a page is from. */
export function isOrigin(text: string): boolean {
  return /^https?:\/\/[\w.-]+(?::\d+)?$/i.test(text);
}

/** `servletfilter-cors.json`: pages of which other origins may ask. Filters of other names change nothing here. */
export const servletFilterConfig = defineConfigFactory({
  id: 'servletfilter',
  schema,
  doubts: {
    initParams(value) {
      const origins = names.safeParse(isObject(value) ? value['allowedOrigins'] : undefined).data ?? [];
      const unfit = origins.find((origin) => origin !== '*' && !isOrigin(origin));
      if (unfit === undefined) return undefined;
      return {
        id: 'CONFIG_BAD_ORIGIN',
        message: `'${unfit}' of allowedOrigins is no origin and lets nobody in`,
        hint: 'Write each as https://app.example.com, without a path and without a star in it',
      };
    },
  },
});
