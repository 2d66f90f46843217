/**
 * The server seen from inside itself: `/config`, `/info`, `/health`, `/cluster`, `/key`, `/log`, `/status`.
 *
 * Words: an *override* is a configuration that was changed through `/config`; it stands in front of its file on
 * every node until somebody edits the file. Invariant: nothing comes in force that was not checked before.
 */
export { administrationFeature, type ServerState } from './administration-feature.ts';
export { checkInfo } from './check-info.ts';
export { ConfigAgreement } from './config-agreement.ts';
export { listOverrides } from './config-override-repository.ts';
export { ConfigOverrides } from './config-overrides.ts';
export { rotateFiles } from './rotate-files.ts';
export { rotateKeys } from './rotate-keys.ts';
