import { ConnectorError, type Scalar, Secret } from './contract.ts';

export function secretsIn(values: readonly Scalar[]): readonly Secret[] {
  return values.filter((value) => value instanceof Secret);
}

/** The other side may repeat what it does not take, and its words are shown, stored and logged. */
export function withoutSecrets(error: unknown, secrets: readonly Secret[]): unknown {
  if (!(error instanceof ConnectorError)) return error;
  const texts = secrets.map((secret) => secret.reveal()).filter((text) => text !== '');
  const words = texts.reduce((message, text) => message.replaceAll(text, '***'), error.message);
  if (words === error.message) return error;
  // What has caused it may repeat them, too.
  return error.but({ cause: undefined }, words);
}
