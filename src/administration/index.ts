/**
 * The server seen from inside itself: `/config`, `/info`, `/health`.
 *
 * Words: an *override* is a configuration that was changed through `/config`; it stands in front of its file on
 * every node until somebody edits the file. Invariant: nothing comes in force that was not checked before.
 */
export { listOverrides } from './config-override-repository.ts';
export { ConfigOverrides } from './config-overrides.ts';
export { configResource } from './config-resource.ts';
export { protectSecrets } from './config-secrets.ts';
export { healthResource } from './health-resource.ts';
export { infoResource } from './info-resource.ts';
export { infoObjections } from './info-scripts.ts';
export { overrideSeals } from './override-seals.ts';
export { rotateFiles } from './rotate-files.ts';
export { rotateKeys } from './rotate-keys.ts';
