import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { filledText, flag, jsonObject, wholeNumber } from './scalar-schema.ts';

/** -1: never look again. */
const recompileInterval = () => wholeNumber({ min: -1 }).prefault(-1);

/** A name that `TextDecoder` knows. */
const encoding = () =>
  z.string().superRefine((label, check) => {
    try {
      new TextDecoder(label);
    } catch {
      check.addIssue({
        code: 'custom',
        message: 'encoding',
        params: {
          id: 'SCRIPT_UNKNOWN_ENCODING',
          statement: `there is no encoding "${label}"`,
          hint: 'Such as UTF-8 or ISO-8859-1',
        },
      });
    }
  });

const schema = z.looseObject({
  properties: jsonObject().default({}),
  /** Without it no script runs. */
  ECMAScript: z.looseObject({ 'javascript.recompile.minimumInterval': recompileInterval() }).optional(),
  Groovy: z
    .looseObject({
      'groovy.recompile': flag().prefault(true),
      'groovy.recompile.minimumInterval': recompileInterval(),
      'groovy.source.encoding': encoding().default('UTF-8'),
      'groovy.target.directory': z.string().optional(),
      'groovy.classpath': z.string().optional(),
    })
    .prefault({}),
  sources: z.record(z.string(), z.looseObject({ directory: filledText() })).superRefine((sources, check) => {
    // JavaScript puts such keys before all others, and the order of sources decides which script wins.
    for (const name of Object.keys(sources).filter((key) => /^\d+$/.test(key))) {
      check.addIssue({
        code: 'custom',
        path: [name],
        message: 'numeric',
        params: {
          id: 'SCRIPT_NUMERIC_SOURCE',
          statement: `the source "${name}" would lose its place among the sources`,
          hint: 'Give it a name with a letter in it',
        },
      });
    }
  }),
});

/** `script.json`. `sources` keeps the order of the file: later ones win. Intervals are milliseconds. */
export const scriptConfig = defineConfig({
  id: 'script',
  schema,
  required: true,
  defaults: {
    sources: {
      default: { directory: '&{launcher.install.location}/bin/defaults/script' },
      install: { directory: '&{launcher.install.location}' },
      project: { directory: '&{launcher.project.location}' },
      'project-script': { directory: '&{launcher.project.location}/script' },
    },
  },
  activates: ['ECMAScript'],
  missing: { ECMAScript: { id: 'SCRIPT_NO_ECMASCRIPT', hint: 'An empty {} is enough' } },
});

export type ScriptConfig = z.output<typeof schema>;
