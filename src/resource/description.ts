import type { JsonObject } from '#json/index.ts';
import type { ActionBody } from './body-schema.ts';
import type { RequestMethod } from './request.ts';

export interface ActionDescription {
  readonly name: string;
  /** What it does, a sentence. */
  readonly does: string;
  /** What it takes; nothing is said where it is not here. */
  readonly takes?: ActionBody;
  /** The same of its answer. */
  readonly answers?: ActionBody;
}

/** What can be asked of a resource; the one source of the API description. */
export interface ResourceDescription {
  /** Path from the root, with variables in braces, such as `managed/user/{id}`. */
  readonly path: string;
  readonly kind: 'collection' | 'instance' | 'singleton';
  readonly title: string;
  readonly methods: readonly RequestMethod[];
  /** Its actions, as far as they are fixed. */
  readonly actions: readonly ActionDescription[];
  /** JSON Schema of its content; none says nothing about it. */
  readonly schema?: JsonObject;
}
