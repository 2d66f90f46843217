/**
 * What people keep for themselves: preferences, saved views, drafts.
 *
 * Words: an *item* is one of them, its *owner* whoever made it. Invariants: items of others are not seen, except for views that
 * their owner shares with a role; each kind has a bound for each owner; an item goes with its owner.
 */
export { personalFeature } from './personal-feature.ts';
