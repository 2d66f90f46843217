/**
 * The typed client of the REST interface, for Node and browsers. It imports nothing but itself, so it can be bundled or
 * copied as it is. `docs/client.md` shows it.
 */
export {
  type Client,
  type ClientOptions,
  createClient,
  type Schedules,
  type UnknownProcesses,
  type UnknownTypes,
} from './client.ts';
export {
  BadRequestError,
  ConflictError,
  type ErrorBody,
  NeedsReauthenticationError,
  NotAllowedError,
  NotFoundError,
  PolicyError,
  SvcError,
  ThrottledError,
  UnavailableError,
  UnreachableError,
} from './client-error.ts';
export type { Heard } from './events.ts';
export { asFilter, type Filter, type FilterValue, filter } from './filter.ts';
export {
  type Answer,
  type Change,
  type DryRun,
  type JsonObject,
  Objects,
  type Page,
  type PatchOperation,
  type Query,
  type Results,
  type Stored,
} from './objects.ts';
export type { Scan } from './scan.ts';
export type { Auth, Call } from './transport.ts';
