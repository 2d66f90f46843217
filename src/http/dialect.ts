import type { Compat } from '#config/index.ts';
import type { ResourceError } from '#errors/index.ts';
import type { Request, Response } from '#resource/index.ts';
import type { TextForm } from './json-text.ts';
import { type HttpRequest, type TranslatedRequest, translateRequest } from './read-request.ts';
import { readScimRequest } from './scim/read-scim-request.ts';
import { writeScimError, writeScimResponse } from './scim/write-scim-response.ts';
import { type Answer, type AnswerForm, writeError, writeResponse } from './write-response.ts';

/** One of the protocols that resources are asked in over HTTP: where it begins, and how it is read and written. */
export interface Dialect {
  /** The path that everything in it is below. */
  readonly base: string;
  /** @throws ResourceError for what means no request */
  readonly read: (http: HttpRequest) => TranslatedRequest;
  readonly write: (request: Request, response: Response, form: AnswerForm) => Promise<Answer>;
  readonly writeError: (error: ResourceError, form?: TextForm) => Answer;
  /** Whether a caller who asks who it is, with name and password in headers of their own, begins a session. */
  readonly beginsSessions?: boolean;
}

/** Common REST: all resources. */
export const REST: Dialect = { base: '/svc', read: translateRequest, write: writeResponse, writeError };

/** SCIM 2.0: the resources of `scim.json`. */
export const SCIM: Dialect = {
  base: '/scim/v2',
  read: readScimRequest,
  write: writeScimResponse,
  writeError: writeScimError,
};

/** Common REST at the place where clients of another server of the field ask: the same resources by the same paths. */
export function fieldDialect({ basePath }: Compat): Dialect {
  return { ...REST, base: basePath, beginsSessions: true };
}

/** @param path percent-encoded. @returns undefined where there are only pages */
export function dialectOf(path: string, dialects: readonly Dialect[]): Dialect | undefined {
  return dialects.find(
    ({ base }) => path.startsWith(base) && (path.length === base.length || path[base.length] === '/'),
  );
}
