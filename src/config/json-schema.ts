import { z } from 'zod';
import type { ConfigSchema } from './config-schema.ts';

/** The part of JSON Schema that says which keys a configuration knows; also what editors are given. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** `false` in strict objects. */
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
}

/** The schema of what a user writes, before defaults and conversions. */
export function toJsonSchema(schema: ConfigSchema<unknown>): JsonSchema {
  // Only *-schema.ts files build configuration schemas, and they build them with zod.
  return z.toJSONSchema(schema as unknown as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema;
}
