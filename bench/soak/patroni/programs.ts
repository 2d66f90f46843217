import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a cluster of three is made of. */
export interface Programs {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  /** Where `postgres`, `initdb` and `pg_basebackup` are. */
  readonly postgres: string;
}

const PLACES = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
const VERSIONS = '/usr/lib/postgresql';

/** @returns the names of those that are not there, otherwise where they are */
export function findPrograms(): Programs | { readonly missing: readonly string[] } {
  const find = (name: string) =>
    PLACES.map((place) => join(place, name)).find((file) => existsSync(file)) ?? '';
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const postgres = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
  const found = {
    patroni: find('patroni'),
    etcd: find('etcd'),
    haproxy: find('haproxy'),
    postgres: postgres ?? '',
  };
  const missing = Object.entries(found).flatMap(([name, file]) => (file === '' ? [name] : []));
  return missing.length > 0 ? { missing } : found;
}
