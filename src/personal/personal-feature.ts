import { Ticker } from '#lifecycle/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { DRAFT, PREFERENCE, VIEW } from './item-kind.ts';
import { pruneItems } from './item-repository.ts';
import { itemResource } from './item-resource.ts';

const PRUNE_INTERVAL_MS = 3_600_000;

/** `/preference`, `/view` and `/draft`. */
export function personalFeature(platform: Platform): Feature {
  const { database, observe } = platform;
  return {
    resources: {
      'preference*': itemResource(platform, PREFERENCE),
      'view*': itemResource(platform, VIEW),
      'draft*': itemResource(platform, DRAFT),
    },
    node: () => ({
      services: [
        new Ticker({
          name: 'old drafts',
          intervalMs: PRUNE_INTERVAL_MS,
          runOnce: () => pruneItems(database.db),
          observe,
        }),
      ],
    }),
  };
}
