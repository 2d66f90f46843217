import { parsePath } from '#resource/index.ts';
import { namesRead } from '#sync/index.ts';
import { apart } from '#work/index.ts';
import { type LiveSyncPlatform, mappingsFrom } from './livesync-platform.ts';
import { findToken, storeFirstToken } from './token-repository.ts';

/**
 * Takes the token of a collection where there is none, before all of it is listed: what changes while it is listed, and afterwards, is
 * what the first round follows. Where listings are compared the first round has one to begin with by itself.
 */
export async function takeFirstToken(platform: LiveSyncPlatform, collection: string): Promise<void> {
  const [first, system, type] = parsePath(collection);
  if (first !== 'system' || system === undefined || type === undefined) return;
  const place = { system, type };
  const told = await platform.systems.told(place).catch(() => 'none');
  if (told !== 'full' && told !== 'upserts') return;
  const known = await findToken(platform.database.db, place);
  if (known?.token !== undefined && known.token !== null) return;
  const named = new Set(mappingsFrom(platform, place).flatMap((mapping) => [...namesRead(mapping)]));
  for await (const { token } of platform.systems.since(place, 'latest', { named, mostAtOnce: 1 })) {
    await apart(platform, async (own) => storeFirstToken(await own.db(), place, token));
    return;
  }
}
