import { encodeBase64 } from './bytes.ts';
import { outside } from './dispatch-port.ts';
import { exception } from './throwable.ts';

const ALGORITHM = /^(?:MD5|SHA-?(?:1|224|256|384|512))$/i;

/** @throws NoSuchAlgorithmException */
export function checkAlgorithm(name: string): void {
  if (ALGORITHM.test(name)) return;
  throw exception('java.security.NoSuchAlgorithmException', `${name} MessageDigest not available`);
}

/** The host makes it. @throws NoSuchAlgorithmException */
export function digest(algorithm: string, bytes: readonly unknown[], encoding: 'hex' | 'base64'): string {
  checkAlgorithm(algorithm);
  return String(outside.host('groovy.digest', algorithm, encodeBase64(bytes), encoding));
}
