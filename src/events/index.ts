/**
 * Streams of events: what has changed, by its name alone. Whoever listens asks for the rest, and is told of nothing that it
 * may not read.
 *
 * Words: a *topic* is what one can listen to, a *batch* is what one node tells at once, a *gap* says that something may not
 * have been told. Invariant: while nobody listens, nothing is written and no request asks the database more than without.
 */

export { distantEventDesk, type EventDesk, serveEventDesk } from './event-desk.ts';
export { type EventFeature, eventFeature } from './event-feature.ts';
