import type { JsonValue } from '#json/index.ts';

/** A variable of a script: what makes it, and what is told of it. */
export interface Binding {
  readonly type: 'string' | 'object' | 'array' | 'null' | 'value';
  readonly says: string;
  /** What the script changes inside of it goes on. */
  readonly keeps?: true;
  /** It is an object of the managed type, so that it has the members of that. */
  readonly isManaged?: true;
}

/** What a script is given where it is used. */
export interface ScriptUse {
  readonly title: string;
  readonly bindings: Readonly<Record<string, Binding>>;
  /** There may be other variables, which nobody knows before it runs. */
  readonly takesOthers?: true;
  /** What it declares at its top is read by somebody else. */
  readonly keepsVariables?: true;
}

/** Values for all variables of a use. */
export type BindingsOf<Use extends ScriptUse> = Readonly<Record<keyof Use['bindings'], JsonValue>>;

export type ScriptUses = Readonly<Record<string, ScriptUse>>;

/** The binding `context`, which every script has. */
export const CONTEXT: Binding = {
  type: 'object',
  says: 'who asks, and how: `security.authenticationId`, `security.authorization.roles`, `http.headers`, `caller.external`; `current`, `parent`, `getContext(name)`. Read-only',
};
export const REQUEST: Binding = {
  type: 'object',
  says: 'the request: `method`, `requestType`, `resourcePath`, `fields`, `additionalParameters`, and by kind `content`, `newResourceId`, `revision`, `patchOperations`, `action`, `queryFilter` and the like',
};
export const RESOURCE_PATH: Binding = { type: 'string', says: 'the path of the request' };
export const RESOURCE_NAME: Binding = { type: 'string', says: 'the path of the object with its id' };
