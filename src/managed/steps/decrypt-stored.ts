import { cloneJson } from '#json/index.ts';
import type { Loaded } from '../exchange.ts';
import { decryptProperties } from '../secret.ts';

/** What hooks and rules see is plain text; hashes stay as they are. */
export async function decryptStored(exchange: Loaded): Promise<void> {
  const { platform, stored, type } = exchange;
  exchange.before = await decryptProperties(platform.crypto, type, stored.data);
  exchange.object = cloneJson(exchange.before);
}
