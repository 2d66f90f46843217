/**
 * Managed objects for clients of SCIM 2.0 (RFC 7643, 7644).
 *
 * Words: a *resource type* is a managed type as clients see it, an *attribute* is bound to a property, to a relationship, or to
 * the parts of one; a *client* is whoever asks, and has its own `externalId`s. Invariant: a resource is a view of an object: all that
 * changes goes through `/managed`, with its policies, hooks and audit.
 */
export { readPatchBody } from './bulk.ts';
export { bulkRoom } from './bulk-room.ts';
export { revisionsIn, tagsIn } from './entity-tags.ts';
export { DISCOVERY } from './schema-answer.ts';
export { scimErrorBody, statusOf } from './scim-error.ts';
export { checkScim, scimFeature } from './scim-feature.ts';
export { SCIM_QUERY } from './scim-resource.ts';
