import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf, type Ids, Program, signalAll } from './process-group.ts';
import type { Programs } from './programs.ts';

export const PASSWORD = 'soak';
const HBA = ['local all all trust', 'host all all 127.0.0.1/32 md5', 'host replication all 127.0.0.1/32 md5'];
/** How soon it is noticed that a primary is gone, and that it is not coming back by itself. */
const AGREED = {
  ttl: 10,
  loop_wait: 2,
  retry_timeout: 4,
  maximum_lag_on_failover: 16_777_216,
  synchronous_mode: true,
  // What crashed is not started again where a standby has all of it.
  primary_start_timeout: 0,
  master_start_timeout: 0,
};

export interface MemberPlace {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly restPort: number;
  readonly etcdPort: number;
  readonly sessions: number;
}

/** A machine of the cluster: Postgres and the Patroni that looks after it. */
export class Member {
  readonly #place: MemberPlace;
  readonly #patroni: Program;
  #frozen: readonly number[] = [];

  private constructor(place: MemberPlace, patroni: Program) {
    this.#place = place;
    this.#patroni = patroni;
  }

  static async open(place: MemberPlace, programs: Programs, ids: Ids): Promise<Member> {
    const { name, folder, port, restPort, etcdPort, sessions } = place;
    const file = join(folder, `${name}.json`);
    const login = (username: string) => ({ username, password: PASSWORD });
    const config = {
      scope: 'soak',
      name,
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: { ...AGREED, postgresql: { use_pg_rewind: true, parameters: { max_connections: sessions } } },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, name),
        bin_dir: programs.postgres,
        pgpass: join(folder, `${name}.pgpass`),
        authentication: { superuser: login('postgres'), replication: login('replicator') },
        pg_hba: HBA,
        parameters: {
          unix_socket_directories: folder,
          fsync: 'off',
          autovacuum_naptime: '5s',
          shared_buffers: '64MB',
        },
      },
    };
    // What is JSON is YAML.
    await writeFile(file, JSON.stringify(config, null, 2), { mode: 0o644 });
    return new Member(place, new Program([programs.patroni, file], join(folder, `${name}.log`), ids));
  }

  get name(): string {
    return this.#place.name;
  }

  get address(): string {
    return `127.0.0.1:${this.#place.port}`;
  }

  /** Asks its Patroni; the parsed answer, or its text. */
  async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.#place.restPort}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(path === '/switchover' ? 60_000 : 2_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} of ${this.name}: ${response.status} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : text;
  }

  start(): void {
    this.#patroni.start();
  }

  #postmaster(): number | undefined {
    try {
      const file = join(this.#place.folder, this.name, 'postmaster.pid');
      const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
      return pid > 1 ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  #postgres(): readonly number[] {
    const pid = this.#postmaster();
    return pid === undefined ? [] : familyOf(pid);
  }

  /** Postgres ends without a word, and Patroni finds it gone. */
  killPostgres(): void {
    const pid = this.#postmaster();
    if (pid !== undefined) signalAll([pid], 'SIGKILL');
  }

  /** Nothing of it goes on, and nobody is told. */
  async killMachine(): Promise<void> {
    const postgres = this.#postgres();
    await this.#patroni.kill();
    signalAll(postgres, 'SIGKILL');
  }

  /** @param isWhole whether its Patroni stands still, too */
  freeze(isWhole: boolean): void {
    this.#frozen = this.#postgres();
    if (isWhole) this.#patroni.signal('SIGSTOP');
    signalAll(this.#frozen, 'SIGSTOP');
  }

  thaw(): void {
    signalAll(this.#frozen, 'SIGCONT');
    this.#patroni.signal('SIGCONT');
    this.#frozen = [];
  }
}
