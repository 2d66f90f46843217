/**
 * Reconciliation: both sides of a mapping are compared as a whole, and what differs is a plan in the database before it is done.
 *
 * Words: a *run* is one comparison, an *entry* what it finds and does about one pair, a *chunk* some entries that one lane works on.
 * Invariants: an entry is done with the row that says so, in one unit of work and on the road of all deliveries, exactly once whichever node
 * dies; a listing is all of a side or nothing; what takes something away comes last, and no more of it than the mapping allows; a plan
 * writes nothing but itself.
 */
export { checkRecons } from './check-recons.ts';
export { reconFeature } from './recon-feature.ts';
