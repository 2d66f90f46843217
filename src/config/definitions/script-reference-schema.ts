import { z } from 'zod';
import { didYouMean } from '#errors/index.ts';
import { jsonObject } from './scalar-schema.ts';

const SCRIPT_TYPES = [
  'text/javascript',
  'application/javascript',
  'text/ecmascript',
  'application/ecmascript',
  'javascript',
  'ecmascript',
  'groovy',
] as const;

/** Types are compared without regard to case, as engine names always were. */
export function scriptType() {
  return z.string().superRefine((type, check) => {
    const word = type.toLowerCase();
    if (SCRIPT_TYPES.some((known) => known === word)) return;
    check.addIssue({
      code: 'custom',
      message: 'must be text/javascript or groovy',
      params: { id: 'SCRIPT_UNKNOWN_TYPE', hint: didYouMean(word, SCRIPT_TYPES) },
    });
  });
}

/** A script reference inside a lenient file. Its further keys are bindings. */
export function scriptReference() {
  return z.looseObject({
    type: scriptType().optional(),
    source: z.string().optional(),
    file: z.string().optional(),
    globals: jsonObject().optional(),
  });
}
