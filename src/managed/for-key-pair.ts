import { isForKeyPair } from '#crypto/index.ts';
import { BadRequestError, ResourceError } from '#errors/index.ts';
import { type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { isAdministrator } from '#resource/index.ts';
import type { Exchange } from './exchange.ts';

/**
 * A password plugin of another server sends what it has encrypted for a pair of keys of the ring. It is opened where the property
 * protects it again and shows it to nobody, for those whom plugins come in as: nobody else may find out whether something that was
 * made of what others have sent can be opened. What is not opened here is refused like any other envelope.
 *
 * @throws BadRequestError `CRYPTO_NOT_OPENED`
 */
export async function openForKeyPair(
  { context, platform, type }: Pick<Exchange, 'context' | 'platform' | 'type'>,
  name: string,
  value: JsonValue,
): Promise<JsonValue> {
  if (!isForKeyPair(value)) return value;
  const property = type.compiled.get(name);
  const isProtected = property !== undefined && (property.encryption ?? property.hashAlgorithm) !== null;
  const { security } = context;
  const isPlugin =
    isAdministrator(security) || security.authorization.roles.includes(platform.certificateRole());
  if (!isProtected || !isPlugin) return value;
  const plain = await platform.crypto.decrypt(value).catch((error: unknown) => {
    if (error instanceof ResourceError) return undefined;
    throw error;
  });
  if (typeof plain === 'string') return plain;
  const field = `/${name}`;
  throw new BadRequestError(`'${field}' cannot be opened with a private key of the key ring, or is no text`, {
    id: 'CRYPTO_NOT_OPENED',
    field,
    hint: 'svc import keys brings the private key of the keystore; AES/CBC under RSA/ECB/PKCS1Padding or RSA/ECB/OAEPWithSHA1AndMGF1Padding can be opened',
  });
}

/** The same of each property of a body. */
export async function openAllForKeyPairs(exchange: Exchange, content: JsonObject): Promise<JsonObject> {
  if (!Object.values(content).some(isForKeyPair)) return content;
  const opened: JsonObject = {};
  for (const [name, value] of Object.entries(content)) {
    setMember(opened, name, await openForKeyPair(exchange, name, value));
  }
  return opened;
}
