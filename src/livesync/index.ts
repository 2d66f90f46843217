/**
 * Live synchronisation: what changes in another system reaches what is mapped to it.
 *
 * Words: a *round* asks one type of objects of a system for all that has changed since its *token*, and there is one at a time; a
 * *batch* is some changes and the token of what comes after them. Invariants: targets inside, rows for targets elsewhere and the token
 * are one unit of work, so that every change is followed once whichever node dies; what fails is tried again by itself and holds up no
 * other change; where a system cannot tell, what it lists is compared with what it listed last, and half a listing counts for nothing.
 */
export { checkLiveSync } from './check-livesync.ts';
export { liveSyncFeature } from './livesync-feature.ts';
