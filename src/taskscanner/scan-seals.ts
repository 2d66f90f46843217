import { type Crypto, openMembers, sealMembers } from '#crypto/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Operation, StoredOperation } from './operation/operation.ts';
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
  const { operation, stored, ...rest } = run;
  return operation === null
    ? { ...rest, operation, definition: await openDefinition(crypto, stored) }
    : { ...rest, operation: await openOperation(crypto, operation), definition: stored };
}

export async function sealOperation(
  crypto: Pick<Crypto, 'encrypt'>,
  { content, ...operation }: Operation,
): Promise<StoredOperation> {
  return { ...operation, content: await sealValue(crypto, content) };
}

async function openOperation(
  crypto: Pick<Crypto, 'decrypt'>,
  { content, ...operation }: StoredOperation,
): Promise<Operation> {
  return { ...operation, content: await openValue(crypto, content) };
}

/** Encrypts the value as a text, so that whatever in it looks encrypted is not opened with it. */
export function sealValue(crypto: Pick<Crypto, 'encrypt'>, value: JsonValue): Promise<JsonObject> {
  return crypto.encrypt(JSON.stringify(value), null, null);
}

export async function openValue(crypto: Pick<Crypto, 'decrypt'>, sealed: JsonObject): Promise<JsonValue> {
  return JSON.parse(String(await crypto.decrypt(sealed)));
}
