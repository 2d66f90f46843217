import { z } from 'zod';
import { wordsOf } from '#errors/index.ts';
import { defineConfigFactory } from '../config-definition.ts';
import { filledText } from './scalar-schema.ts';

const pattern = filledText().superRefine((text, check) => {
  try {
    new RegExp(text);
  } catch (error) {
    const message = wordsOf(error);
    check.addIssue({
      code: 'custom',
      message: 'no pattern',
      params: { id: 'PROCESS_BAD_PATTERN', statement: message },
    });
  }
});

const schema = z.looseObject({
  /** A process is open to callers whom an entry fits; without any entry, to administrators alone. */
  workflowAccess: z.array(
    z.looseObject({
      propertiesCheck: z.looseObject({
        /** A property of the definition, such as `key`, `name`, `category` or `_id`. */
        property: filledText(),
        /** A regular expression that is found anywhere in its value. */
        matches: pattern,
        /** The id of a role, or a reference to it. */
        requiresRole: filledText(),
      }),
    }),
  ),
});

/** `process-access.json`: who may see and start which processes. Without the file it is as their own files say. */
export const processConfig = defineConfigFactory({ id: 'process', schema, unread: {} });
