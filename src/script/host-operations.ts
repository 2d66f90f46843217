import type { JsonValue } from '#json/index.ts';

/**
 * The operations by name. What scripts give comes as JSON of any shape; the prelude has checked it, and it may have
 * been changed.
 */
export type HostOperations = Record<string, (args: JsonValue[]) => Promise<JsonValue> | JsonValue>;
