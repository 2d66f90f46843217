import { open, readFile } from 'node:fs/promises';
import { overlayFlags, readSettings } from '#config/index.ts';
import { type ImportedKeys, importKeys, KeystoreError, MOST_KEYSTORE_BYTES } from '#crypto/index.ts';
import { systemCodeOf } from '#errors/index.ts';
import { type Command, EXIT } from '../command.ts';
import { tell } from '../told.ts';
import { complain } from '../typed-name.ts';
import { ownFlags } from './import-repository.ts';

/** `svc import keys`: the keys of a keystore of Java into the ring of this node. */
export async function takeKeys(flags: Parameters<Command['run']>[0], keystore: string): Promise<number> {
  const passwordFile = flags['password-file'];
  if (typeof passwordFile !== 'string') {
    complain('svc import keys: --password-file names the file that holds the password of the keystore');
    return EXIT.USAGE;
  }
  const { output, json } = flags;
  const own = ownFlags(flags);
  const place = {
    variable: overlayFlags(process.env, own)['SVC_KEYS'],
    dataDirectory: readSettings(process.env, own).dataDirectory,
  };
  try {
    const password = (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
    const outcome = await importKeys(place, await readSome(keystore), password);
    tell({ output, json }, outcome, () => inLines(outcome));
    return EXIT.OK;
  } catch (error) {
    const code = systemCodeOf(error);
    if (!(error instanceof KeystoreError) && code === undefined) throw error;
    complain(
      `svc import keys: ${error instanceof KeystoreError ? error.message : `a file cannot be read (${code})`}`,
    );
    return EXIT.FINDING;
  }
}

/** Reads as much as a keystore may have and one byte more, by which it is refused: some files have no end. */
async function readSome(path: string): Promise<Buffer> {
  await using file = await open(path);
  const bytes = Buffer.alloc(MOST_KEYSTORE_BYTES + 1);
  for (let length = 0; ; ) {
    const { bytesRead } = await file.read(bytes, length);
    length += bytesRead;
    if (bytesRead === 0 || length === bytes.length) return bytes.subarray(0, length);
  }
}

function inLines({ added, pairs, known, left }: ImportedKeys): string {
  return [
    ...added.map(
      ({ alias, id, bits }) => `added   ${alias}: key ${id} of ${bits} bits decrypts; another one encrypts`,
    ),
    ...pairs.map(
      (alias) => `added   ${alias}: its private key opens what others have encrypted for the pair`,
    ),
    ...known.map((alias) => `known   ${alias}: the ring has this key`),
    ...left.map(({ alias, reason }) => `left    ${alias}: ${reason}`),
  ].join('\n');
}
