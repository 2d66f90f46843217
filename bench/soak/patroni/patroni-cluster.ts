import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '#database/embedded/embedded-access.ts';
import { Member, PASSWORD } from './member.ts';
import { idsOfPostgres, Program } from './process-group.ts';
import type { Programs } from './programs.ts';

const MEMBERS = ['pg1', 'pg2', 'pg3'];
const PATIENCE_MS = 240_000;
/** For each member, which may have to wait for a core. */
const ANSWER_MS = 1_500;
/** A member that has not come back by then is made anew from the primary. */
const REINIT_MS = 25_000;

interface State {
  readonly members: readonly {
    readonly name: string;
    readonly role: string;
    readonly state: string;
    readonly timeline?: number;
  }[];
}

/** Three Postgres servers that Patroni looks after, one of which confirms each commit, behind HAProxy. */
export class PatroniCluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #members: readonly Member[];
  readonly #proxy: Program;
  readonly #proxyPort: number;
  readonly #scope: AsyncDisposableStack;
  #isKept = false;

  private constructor(
    folder: string,
    members: readonly Member[],
    proxy: Program,
    proxyPort: number,
    scope: AsyncDisposableStack,
  ) {
    this.#folder = folder;
    this.#members = members;
    this.#proxy = proxy;
    this.#proxyPort = proxyPort;
    this.#scope = scope;
  }

  /** @param sessions how many each has room for */
  static async open(programs: Programs, sessions: number): Promise<PatroniCluster> {
    await using scope = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'svc-soak-patroni-'));
    await chmod(folder, 0o755);
    const ids = idsOfPostgres();
    if (ids.uid !== undefined && ids.gid !== undefined) await chown(folder, ids.uid, ids.gid);
    const ports = new Set<number>();
    while (ports.size < 2 * MEMBERS.length + 3) ports.add(await freePort(undefined));
    const [etcdPort = 0, peerPort = 0, proxyPort = 0, ...rest] = ports;
    const client = `http://127.0.0.1:${etcdPort}`;
    const peer = `http://127.0.0.1:${peerPort}`;
    const etcd = new Program(
      [
        programs.etcd,
        ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
        ...['--initial-cluster', `default=${peer}`],
      ],
      join(folder, 'etcd.log'),
      ids,
    );
    scope.defer(() => etcd.kill());
    etcd.start();
    const members: Member[] = [];
    const checks: string[] = [];
    for (const [place, name] of MEMBERS.entries()) {
      const [port = 0, restPort = 0] = rest.slice(2 * place);
      const member = await Member.open({ name, folder, port, restPort, etcdPort, sessions }, programs, ids);
      members.push(member);
      scope.defer(() => member.killMachine());
      checks.push(`  server ${name} ${member.address} check port ${restPort}`);
    }
    const config = join(folder, 'haproxy.cfg');
    await writeFile(config, proxyConfig(proxyPort, checks));
    const proxy = new Program([programs.haproxy, '-db', '-f', config], join(folder, 'haproxy.log'), ids);
    scope.defer(() => proxy.kill());
    const killAll = () => {
      for (const member of members) void member.killMachine();
    };
    process.once('exit', killAll);
    scope.defer(() => void process.off('exit', killAll));
    for (const member of members) member.start();
    proxy.start();
    const cluster = new PatroniCluster(folder, members, proxy, proxyPort, scope.move());
    try {
      await cluster.healthy();
    } catch (error) {
      cluster.keep();
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  /** Through HAProxy, which leads to the primary. */
  get url(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#proxyPort}/postgres`;
  }

  /** All three, of which whoever connects finds the primary. */
  listed(database: string): string {
    const hosts = this.#members.map(({ address }) => address).join(',');
    return `postgres://postgres:${PASSWORD}@${hosts}/${database}?target_session_attrs=read-write`;
  }

  keep(): string {
    this.#isKept = true;
    return this.#folder;
  }

  /** Resolves with the primary when there is one, a standby that confirms, and a third that follows, all on one timeline. */
  async healthy(): Promise<Member> {
    const deadline = Date.now() + PATIENCE_MS;
    const badSince = new Map<string, number>();
    for (;;) {
      const state = await this.#state();
      const primary = state !== undefined && isHealthy(state) ? await this.#writable() : undefined;
      if (primary !== undefined) return primary;
      if (Date.now() > deadline) throw new Error(`The cluster is not healthy: ${JSON.stringify(state)}`);
      for (const member of this.#members) await this.#mend(member, state, badSince);
      await delay(250);
    }
  }

  async #mend(member: Member, state: State | undefined, badSince: Map<string, number>): Promise<void> {
    const own = state?.members.find(({ name }) => name === member.name);
    const leader = state?.members.find(({ role }) => role === 'leader');
    const isWell =
      leader === undefined || own === leader || (own !== undefined && own.timeline === leader.timeline);
    if (isWell) badSince.delete(member.name);
    const since = badSince.get(member.name) ?? Date.now();
    if (!isWell) badSince.set(member.name, since);
    if (Date.now() - since < REINIT_MS) return;
    badSince.delete(member.name);
    await member.ask('POST', '/reinitialize', { force: true }).catch(() => undefined);
  }

  async #state(): Promise<State | undefined> {
    for (const member of this.#members) {
      const state = await member.ask('GET', '/cluster').catch(() => undefined);
      if (isState(state) && state.members.some(({ role }) => role === 'leader')) return state;
    }
    return undefined;
  }

  /** The address of the server that takes changes. */
  async #writable(): Promise<Member | undefined> {
    const asked = this.#members.map(async (member) => {
      const client = new pg.Client({
        connectionString: `postgres://postgres:${PASSWORD}@${member.address}/postgres`,
        connectionTimeoutMillis: ANSWER_MS,
        query_timeout: ANSWER_MS,
      });
      client.on('error', () => {});
      try {
        await client.connect();
        const { rows } = await client.query<{ is_standby: boolean }>(
          'select pg_is_in_recovery() as is_standby',
        );
        if (rows[0]?.is_standby !== false) throw new Error('a standby');
        return member;
      } finally {
        void client.end().catch(() => undefined);
      }
    });
    return Promise.any(asked).catch(() => undefined);
  }

  /** @returns when another server than this takes changes, epoch ms */
  async #replaced(old: Member): Promise<number> {
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      const now = await this.#writable();
      if (now !== undefined && now !== old) return Date.now();
      await delay(20);
    }
    throw new Error(`No other server than ${old.name} has become the primary`);
  }

  async switchover(): Promise<number> {
    const old = await this.healthy();
    const asked = old.ask('POST', '/switchover', { leader: old.name });
    const [since] = await Promise.all([this.#replaced(old), asked]);
    return since;
  }

  async killPrimary(): Promise<number> {
    const old = await this.healthy();
    old.killPostgres();
    return this.#replaced(old);
  }

  /** @returns also what starts it again */
  async killMachine(): Promise<{ readonly since: number; readonly again: () => void }> {
    const old = await this.healthy();
    await old.killMachine();
    return { since: await this.#replaced(old), again: () => old.start() };
  }

  /** The primary with its Patroni stands still, and wakes after `ms`, when another has been promoted. */
  async freezeMachine(ms: number): Promise<{ readonly since: number; readonly awake: Promise<void> }> {
    const old = await this.healthy();
    old.freeze(true);
    const awake = delay(ms).then(() => old.thaw());
    try {
      return { since: await this.#replaced(old), awake };
    } catch (error) {
      await awake;
      throw error;
    }
  }

  /** Commits wait for a standby that confirms nothing. */
  async stallReplication(ms: number): Promise<void> {
    const primary = await this.healthy();
    const standbys = this.#members.filter((member) => member !== primary);
    for (const standby of standbys) standby.freeze(false);
    await delay(ms);
    for (const standby of standbys) standby.thaw();
  }

  async cutProxy(ms: number): Promise<void> {
    await this.healthy();
    await this.#proxy.kill();
    await delay(ms);
    this.#proxy.start();
  }

  async freezeProxy(ms: number): Promise<void> {
    await this.healthy();
    this.#proxy.signal('SIGSTOP');
    await delay(ms);
    this.#proxy.signal('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scope.disposeAsync();
    if (!this.#isKept) await rm(this.#folder, { recursive: true, force: true });
  }
}

function isState(answer: unknown): answer is State {
  return typeof answer === 'object' && answer !== null && 'members' in answer;
}

function isHealthy({ members }: State): boolean {
  const timelines = new Set(members.map(({ timeline }) => timeline));
  const works = members.every(({ state }) => state === 'running' || state === 'streaming');
  const confirms = members.some(({ role }) => role === 'sync_standby');
  return members.length === MEMBERS.length && timelines.size === 1 && works && confirms;
}

/** As the guide to operations has it. */
function proxyConfig(port: number, servers: readonly string[]): string {
  return [
    'global',
    '  maxconn 2000',
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout check 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    '',
  ].join('\n');
}
