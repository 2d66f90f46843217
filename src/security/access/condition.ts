import type { JsonObject } from '#json/index.ts';
import type { Context, Request } from '#resource/index.ts';
import type { ProcessRule } from './process-access.ts';

/** What a condition may look at. */
export interface ConditionQuestion {
  readonly context: Context;
  readonly request: Request;
  /** Reads a resource as the server itself. @returns undefined when there is none */
  readonly read: (context: Context, path: string) => Promise<JsonObject | undefined>;
  /** As `read`, of what the request changes: what is granted by it is granted as long as that is at its revision. */
  readonly readChanged: (path: string) => Promise<JsonObject | undefined>;
  /** Reads these relationships of the object that the request changes, as the server itself sees them. */
  readonly readReferences: (names: readonly string[]) => Promise<JsonObject>;
  /** The schema properties of a managed type; undefined when there is no such type. */
  readonly properties: (type: string) => JsonObject | undefined;
  /** Whether a managed user has that name. */
  readonly isManagedUser: (context: Context, userName: string) => Promise<boolean>;
  /** The path of the version of a process that its key starts; undefined when there is none. */
  readonly latestDefinition: (context: Context, key: string) => Promise<string | undefined>;
  /** The rules of `conf/process-access.json`; undefined when there is no such file. */
  readonly processRules: () => readonly ProcessRule[] | undefined;
  /** Told of a property because of which the caller may not change its own object. */
  readonly tellNotEditable?: (property: string) => void;
  /** Whether nobody has said yet what the request is to write. */
  readonly isOpen: boolean;
}

/** What a condition says; undefined where that depends on what an open request is to write. */
export type Verdict = boolean | undefined;

export type Condition = (question: ConditionQuestion, args: readonly unknown[]) => Verdict | Promise<Verdict>;

/** What stands as a list, or as a text with commas. */
export function listOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.map(String) : [];
}
