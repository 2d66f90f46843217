import { reasonOf } from './reason.ts';

/** What an error says beyond its message. Everything here is safe to show to the caller. */
export interface ErrorFacts {
  /** Stable id of the catalogue, such as `SCHED_UNKNOWN_TIME_ZONE`. */
  readonly id?: string;
  /** JSON pointer of the offending field. */
  readonly field?: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Further members of `detail`; when it is not an object, it is `detail` as a whole. */
  readonly detail?: Json;
  readonly cause?: unknown;
}

/** As `JsonValue`: JSON knows the errors of this room, so this room does not know JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An error as callers and other threads are told of it. */
export type ErrorBody = { code: number; reason: string; message: string; detail?: Json };

/** Characters of a message. A value that a caller sent may be as large as a body, and is not sent back whole. */
const LONGEST_MESSAGE = 8_192;

/**
 * The one error that callers see: an HTTP-like code, its reason phrase, a message that holds the offending
 * value, and a detail object with id, field and hint. Any integer is a legal code, because scripts may throw
 * their own.
 */
export class ResourceError extends Error {
  override readonly name: string = 'ResourceError';
  readonly code: number;
  readonly reason: string;
  readonly detail: Json | undefined;

  constructor(code: number, message: string, facts: ErrorFacts = {}) {
    super(bounded(message), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.reason = reasonOf(code);
    this.detail = composeDetail(facts);
  }

  /** The body of an error response; what it is made of is JSON, by whoever made it. */
  toJSON(): ErrorBody {
    return {
      code: this.code,
      reason: this.reason,
      message: this.message,
      ...(this.detail === undefined ? {} : { detail: this.detail }),
    };
  }
}

/** The stable id that an error carries, such as `DB_UNREACHABLE`; undefined for whatever carries none. */
export function errorIdOf(error: unknown): unknown {
  return membersOf(error).get('id');
}

/** What an error says of itself besides its message, as far as these are texts. */
export function factsOf(error: unknown): {
  readonly id?: string;
  readonly field?: string;
  readonly hint?: string;
} {
  const members = membersOf(error);
  const text = (name: 'id' | 'field' | 'hint') => {
    const value = members.get(name);
    return typeof value === 'string' ? { [name]: value } : {};
  };
  return { ...text('id'), ...text('field'), ...text('hint') };
}

function membersOf(error: unknown): ReadonlyMap<string, unknown> {
  const detail = error instanceof ResourceError ? error.detail : undefined;
  return new Map(typeof detail === 'object' && detail !== null ? Object.entries(detail) : []);
}

function bounded(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  return `${message.slice(0, LONGEST_MESSAGE)}… (${message.length} characters)`.toWellFormed();
}

function composeDetail(facts: ErrorFacts): Json | undefined {
  const { id, field, hint, detail } = facts;
  if (detail !== undefined && (typeof detail !== 'object' || detail === null || Array.isArray(detail))) {
    return detail;
  }
  const composed = {
    ...(id === undefined ? {} : { id }),
    ...(field === undefined ? {} : { field: bounded(field) }),
    ...(hint === undefined ? {} : { hint: bounded(hint) }),
    ...detail,
  };
  return Object.keys(composed).length > 0 || detail !== undefined ? composed : undefined;
}
