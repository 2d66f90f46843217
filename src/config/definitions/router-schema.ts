import { z } from 'zod';
import { wordsOf } from '#errors/index.ts';
import { defineConfig } from '../config-definition.ts';
import { scriptReference } from './script-reference-schema.ts';

const METHODS = ['create', 'read', 'update', 'delete', 'patch', 'action', 'query'] as const;

/** As Java writes regular expressions, of which `(?i)` in front is the one form that JavaScript has not. */
const pattern = z.string().superRefine((text, check) => {
  try {
    readPattern(text);
  } catch (error) {
    check.addIssue({
      code: 'custom',
      message: 'must be a regular expression',
      params: {
        id: 'ROUTER_BAD_PATTERN',
        statement: `the pattern ${JSON.stringify(text)} is no regular expression: ${wordsOf(error)}`,
      },
    });
  }
});

const script = scriptReference().superRefine((reference, check) => {
  const ways = ['source', 'file', 'name'].filter((key) => reference[key] !== undefined);
  if (ways.length === 1 && (ways[0] !== 'source' || reference.type !== undefined)) return;
  const [way, other] = ways;
  check.addIssue({
    code: 'custom',
    message: 'names no script',
    params: {
      id: 'ROUTER_NO_SCRIPT',
      statement:
        other !== undefined
          ? `"${way}" and "${other}" exclude each other`
          : way === undefined
            ? 'neither "source" nor "file" says which script to run'
            : 'a script with a "source" needs a "type", such as text/javascript',
    },
  });
});

const filter = z.looseObject({
  pattern: pattern.optional(),
  methods: z.array(z.enum(METHODS)).optional(),
  condition: script.optional(),
  onRequest: script.optional(),
  onResponse: script.optional(),
  onFailure: script.optional(),
});

const schema = z.looseObject({
  /** The filters in the order in which a request meets them. */
  filters: z.array(filter).default([]),
});

/** `router.json`: scripts that stand in front of all resources. */
export const routerConfig = defineConfig({
  id: 'router',
  schema,
  // Further keys of a script are its variables.
  unread: { where: (path) => path.length === 0 || path.length === 2 },
});

export type RouterConfig = z.output<typeof schema>;
export type RouterFilterConfig = RouterConfig['filters'][number];

/** Matches a whole resource path. @throws SyntaxError */
export function readPattern(text: string): RegExp {
  const ignoresCase = text.startsWith('(?i)');
  return new RegExp(`^(?:${ignoresCase ? text.slice('(?i)'.length) : text})$`, ignoresCase ? 'iu' : 'u');
}
