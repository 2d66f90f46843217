import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ConfigSchema } from './config-schema.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';

/** What to say when a certain key is missing, instead of the general words. */
export interface MissingKey {
  readonly id: string;
  readonly hint: string;
}

/** A value that is taken, and probably not meant. */
export interface Doubt {
  readonly id: string;
  readonly message: string;
  readonly hint: string;
}

interface DefinitionParts<T> {
  /** The pid, or the factory's name. */
  readonly id: string;
  readonly schema: ConfigSchema<T>;
  /** By path (`ECMAScript`, `threadPool.threadCount`). */
  readonly missing?: Readonly<Record<string, MissingKey>>;
  /**
   * Top-level keys that the schema can do without and the part that reads the file cannot. A node starts without
   * them, and that part says that it is inactive; a change that takes them away is refused.
   */
  readonly activates?: readonly string[];
  /** Keys that the schema does not describe are warned of. Where it is absent they belong to somebody else. */
  readonly unread?: {
    /** In which objects they are warned of; elsewhere such keys mean something, as variables of a script. Default: all. */
    readonly where?: (path: readonly PropertyKey[]) => boolean;
    /** What to do instead. */
    readonly hint?: string;
  };
  /** Keys that the schema does not describe are warned of and left out, as over REST. Default: refused. */
  readonly takesUnknownKeys?: boolean;
  /** Top-level keys that are taken because files of the field have them, but change nothing; and why. */
  readonly withoutEffect?: {
    readonly keys: readonly string[];
    readonly because: string;
    /** Values, as texts, that say what holds anyway: nobody is warned of them. Default: `true`. */
    readonly harmless?: readonly string[];
  };
  /** By top-level key: what the operator should know of its value; undefined when there is nothing. */
  readonly doubts?: Readonly<Record<string, (value: JsonValue) => Doubt | undefined>>;
}

/** One configuration with one file, `<id>.json`. */
export interface ConfigDefinition<T> extends DefinitionParts<T> {
  readonly kind: 'single';
  /** Stand in for top-level keys that the file lacks; references in them are resolved as in the file. */
  readonly defaults?: JsonObject;
  /** Without a file the server does not start; otherwise no file is as good as an empty object. */
  readonly required?: boolean;
  readonly jsonSchema: JsonSchema;
}

/** Any number of configurations of one sort, `<id>-<alias>.json`. */
export interface ConfigFactoryDefinition<T> extends DefinitionParts<T> {
  readonly kind: 'factory';
  readonly jsonSchema: JsonSchema;
}

export type AnyConfigDefinition = ConfigDefinition<unknown> | ConfigFactoryDefinition<unknown>;

export function defineConfig<T>(
  parts: Omit<ConfigDefinition<T>, 'kind' | 'jsonSchema'>,
): ConfigDefinition<T> {
  const describe = describing(parts);
  return {
    ...parts,
    kind: 'single',
    get jsonSchema() {
      return describe();
    },
  };
}

export function defineConfigFactory<T>(parts: DefinitionParts<T>): ConfigFactoryDefinition<T> {
  const describe = describing(parts);
  return {
    ...parts,
    kind: 'factory',
    get jsonSchema() {
      return describe();
    },
  };
}

/**
 * A JSON schema is made when it is asked for: all of them take a tenth of the processor time of a start, and few have
 * a file.
 */
function describing({ schema }: { readonly schema: ConfigSchema<unknown> }): () => JsonSchema {
  let made: JsonSchema | undefined;
  return () => (made ??= toJsonSchema(schema));
}
