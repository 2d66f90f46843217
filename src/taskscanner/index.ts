/**
 * Runs a script once for each object that a query finds, or what an operation has it do (`operation/`).
 *
 * Words: a *scan run* is one pass over the objects; it is cut into *slices*; a *lane* is a job that works on one slice
 * after the other, and a run has as many lanes as it may have threads; to *claim* an object is to set its started
 * pointer. Invariants: claim, script and completion of an object are one unit of work, which also moves its slice on,
 * so an object is processed exactly once whichever node dies; a failing object ends nothing but itself. An *operation* is a
 * run whose task is built in (`ObjectTask`); its objects are frozen before it begins, and asked for as by its maker.
 */
export { checkScans } from './check-scans.ts';
export { taskscannerFeature } from './taskscanner-feature.ts';
