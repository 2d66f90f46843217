import { infoConfig } from '#config/index.ts';
import type { Inspection } from '#platform/index.ts';
import { infoObjections } from './info-scripts.ts';

/** `info-*.json`: what of it the server answers. */
export function checkInfo({ config }: Inspection): void {
  config.addCheck(infoConfig, infoObjections);
}
