import { type Crypto, openMembers, sealMembers } from '#crypto/index.ts';
import type { ScanDefinition, StoredDefinition } from './scan-definition.ts';
import type { OpenRun, ScanRun } from './scan-run.ts';

export async function sealDefinition(
  crypto: Pick<Crypto, 'encrypt'>,
  definition: ScanDefinition,
): Promise<StoredDefinition> {
  const { content, places } = await sealMembers(crypto, JSON.parse(JSON.stringify(definition)));
  return places.length === 0 ? definition : { ...content, sealed: places };
}

/** @throws ResourceError where a key is missing */
export async function openDefinition(
  crypto: Pick<Crypto, 'decrypt'>,
  { sealed: places, ...stored }: StoredDefinition,
): Promise<ScanDefinition> {
  if (places === undefined) return stored;
  return openMembers(crypto, { content: JSON.parse(JSON.stringify(stored)), places });
}

export async function openRun(crypto: Pick<Crypto, 'decrypt'>, run: ScanRun): Promise<OpenRun> {
  return { ...run, definition: await openDefinition(crypto, run.stored) };
}
