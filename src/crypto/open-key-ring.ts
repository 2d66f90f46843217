import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivationError, type Finding, systemCodeOf } from '#errors/index.ts';
import { type KeyRingText, SAME_RING, SHIPPED_ALIASES } from './key-ring.ts';
import { keyRingSchema } from './key-ring-schema.ts';

export interface KeyRingPlace {
  /** The value of `SVC_KEYS`; wins over the file. */
  readonly variable: string | undefined;
  /** Holds `keys.json`; both are made when they are missing. */
  readonly dataDirectory: string;
}

export interface OpenedKeyRing {
  readonly text: KeyRingText;
  /** Where it was found, or would be. */
  readonly place: string;
  /** The file that was made just now. Other nodes on the same database need a copy of it. */
  readonly madeFile?: string;
  /** Why there is no key at all. The server runs, but whoever encrypts or decrypts fails. */
  readonly missing?: string;
}

const NEW_KEY_BYTES = 32;

/** The same for whoever only looks: nothing is made. */
export function readKeyRing(place: KeyRingPlace): Promise<OpenedKeyRing> {
  return openKeyRing(place, false);
}

/**
 * Reads the key ring from `SVC_KEYS`, else from `keys.json` in the data directory, which is made at the first
 * start, readable for its owner only. Where it cannot be made, as in a read-only container, the ring is empty.
 *
 * @throws ActivationError when it cannot be read or is no key ring; the message shows nothing of a key
 */
export async function openKeyRing(
  { variable, dataDirectory }: KeyRingPlace,
  isMade = true,
): Promise<OpenedKeyRing> {
  if (variable !== undefined && variable.trim() !== '')
    return { text: parseKeyRing(variable, 'SVC_KEYS'), place: 'SVC_KEYS' };
  const file = join(dataDirectory, 'keys.json');
  const found = await read(file);
  if (found !== undefined) return { text: parseKeyRing(found, file), place: file };
  if (!isMade) return { text: {}, place: file, missing: `there is no ${file}` };
  const made = await makeOnce(file, dataDirectory);
  const text = await read(file);
  if (text === undefined)
    return { text: {}, place: file, missing: `${file} cannot be written (${made.failure})` };
  return {
    text: parseKeyRing(text, file),
    place: file,
    ...(made.failure === undefined ? { madeFile: file } : {}),
  };
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw failed(file, `cannot be read (${code})`);
  }
}

/** When several nodes start at once in one data directory, one makes the file; the others fail with EEXIST. */
async function makeOnce(file: string, dataDirectory: string): Promise<{ readonly failure?: string }> {
  const text = Object.fromEntries(
    SHIPPED_ALIASES.map((alias) => [alias, [randomBytes(NEW_KEY_BYTES).toString('base64')]]),
  );
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(text, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Unlike a rename, a link never replaces what another node has put there meanwhile.
    await link(draft, file);
    return {};
  } catch (error) {
    return { failure: systemCodeOf(error) ?? String(error) };
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

function parseKeyRing(text: string, where: string): KeyRingText {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's own message would quote the text, and with it a key.
    throw failed(where, 'is not JSON', 'It maps aliases to lists of keys: {"svc-sym-default": ["<Base64>"]}');
  }
  const parsed = keyRingSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ActivationError(
    parsed.error.issues.map((issue) =>
      finding(where, `${issue.path.map(String).join(' ')} ${issue.message}`.trim()),
    ),
  );
}

function failed(where: string, message: string, hint?: string): ActivationError {
  return new ActivationError([finding(where, message, hint)]);
}

function finding(where: string, message: string, hint: string = SAME_RING): Finding {
  return { id: 'CRYPTO_BAD_KEY_RING', where: '', message: `The key ring ${where}: ${message}`, hint };
}
