import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { didYouMean, systemCodeOf } from '#errors/index.ts';
import { UsageError } from '../usage-error.ts';

/** A node, and as whom it is asked. */
export interface Profile {
  readonly url: string;
  readonly user?: string;
  /** The cookie of a session, as `name=value`. */
  readonly cookie?: string;
  readonly apiKey?: string;
}

interface Profiles {
  /** The name of that which counts when none is named. */
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const NONE: Profiles = { current: 'default', profiles: {} };

function fileOfProfiles(): string {
  const home = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  return join(home, 'svc', 'config.json');
}

/** @throws UsageError for a file that is none of profiles */
export function readProfiles(): Profiles {
  const read = readJson(fileOfProfiles());
  if (read === undefined) return NONE;
  if (isProfiles(read)) return read;
  throw new UsageError(`'${fileOfProfiles()}' has no profiles; svc login writes it anew once it is gone`);
}

/** For its owner alone: what is in it lets in. */
export function writeProfiles(profiles: Profiles): void {
  const file = fileOfProfiles();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const anew = `${file}.${process.pid}`;
  writeFileSync(anew, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  renameSync(anew, file);
}

export function saveProfile(name: string, profile: Profile): void {
  const { current, profiles } = readProfiles();
  writeProfiles({ current, profiles: { ...profiles, [name]: profile } });
}

/**
 * The name of the profile that counts: `--profile`, SVC_PROFILE, `.svcrc` in this folder, that in use. A `.svcrc` names one
 * and no address, for it comes with folders of others.
 */
export function chosenProfile(flag: string | undefined): string {
  return flag ?? process.env['SVC_PROFILE'] ?? profileOfFolder() ?? readProfiles().current;
}

/** @throws UsageError where somebody has named one that there is not */
export function findProfile(name: string): Profile | undefined {
  const { current, profiles } = readProfiles();
  if (Object.hasOwn(profiles, name)) return profiles[name];
  if (name === current) return undefined;
  const near = didYouMean(name, Object.keys(profiles)) ?? 'svc login --profile <name> makes one';
  throw new UsageError(`there is no profile '${name}'. ${near}`);
}

function profileOfFolder(): string | undefined {
  const read = readJson('.svcrc');
  if (read === undefined) return undefined;
  if (isRecord(read) && typeof read['profile'] === 'string') return read['profile'];
  throw new UsageError(`'.svcrc' in this folder is no {"profile": "<name>"}`);
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(`'${file}' cannot be read (${systemCodeOf(error)})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isProfiles(read: unknown): read is Profiles {
  if (!isRecord(read) || typeof read['current'] !== 'string' || !isRecord(read['profiles'])) return false;
  return Object.values(read['profiles']).every((each) => isRecord(each) && typeof each['url'] === 'string');
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
