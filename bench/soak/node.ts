import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ADMIN_PASSWORD } from '../../test/support/api.ts';
import { PRELOAD } from '../../test/support/block-event-loop.ts';
import { faultyEnvironment, JUMP_SIGNAL } from '../../test/support/database-faults.ts';
import { POISON_PRELOAD } from '../../test/support/poison.ts';
import { TcpProxy } from '../../test/support/tcp-proxy.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

export interface NodeOptions {
  readonly name: string;
  /** The database itself; the node reaches it through a proxy. */
  readonly databaseUrl: string;
  /** Several servers of which the node finds the primary itself, past the proxy; default: that one. */
  readonly listedUrl?: string;
  readonly project: string;
  readonly logFolder: string;
  readonly random: () => number;
  /** With one script thread and few connections: many of them find room on one machine. */
  readonly isSmall?: boolean;
}

/** The most sessions that a small node opens, by the guide to operations: pool × (threads + 1) + 7. */
export const SMALL_NODE_SESSIONS = 2 * (1 + 1) + 7;

/** A node that cannot start because its database is not there, or has its earlier life still, is started again so long. */
const START_PATIENCE_MS = 600_000;
/** Whoever has not ended by then does not. */
const STOP_PATIENCE_MS = 240_000;

/** What is wrong with the clock of a node; see `faultyEnvironment`. */
export interface ClockFault {
  readonly clockOffsetsMs: readonly number[];
  readonly clockRate?: number;
}

const RIGHT_CLOCK: ClockFault = { clockOffsetsMs: [] };

/** An end that nobody asked for. */
export interface UnexpectedEnd {
  readonly node: string;
  readonly at: number;
  readonly how: number | NodeJS.Signals;
}

/** One place in the cluster: a real process, killed and started again, behind a proxy that stays. */
export class SoakNode implements AsyncDisposable {
  readonly name: string;
  readonly proxy: TcpProxy;
  readonly unexpectedEnds: UnexpectedEnd[] = [];
  /** What the node said of failures, by kind and loop. */
  readonly said = new Map<string, number>();
  /** When it wrote each line of its log that is a warning or an error, epoch ms. */
  readonly warnedAt: number[] = [];
  readonly #options: NodeOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<number | NodeJS.Signals> = Promise.resolve(0);
  #expectsEnd = true;
  #url: string | undefined;
  #livedFrom = 0;
  /** How the clock of the node is wrong. */
  clock: ClockFault = RIGHT_CLOCK;
  /** Where the version lies that the next start is of; undefined for this one. */
  installation: string | undefined;
  /** How often it ended by itself, expectedly or not. */
  deaths = 0;
  #mayDie = false;

  private constructor(options: NodeOptions, proxy: TcpProxy) {
    this.#options = options;
    this.name = options.name;
    this.proxy = proxy;
  }

  static async open(options: NodeOptions): Promise<SoakNode> {
    const target = new URL(options.databaseUrl);
    const address = { host: target.hostname, port: Number(target.port) };
    return new SoakNode(options, await TcpProxy.open(() => address, options.random));
  }

  /** Where it answers; undefined while it is not up. */
  get url(): string | undefined {
    return this.#url;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Since when this process runs, epoch ms. */
  get livedFrom(): number {
    return this.#livedFrom;
  }

  /** Starts the process and waits until it listens; again when the database was not there. */
  async start(clock = RIGHT_CLOCK): Promise<void> {
    const deadline = Date.now() + START_PATIENCE_MS;
    for (;;) {
      const ended = await this.#launch(clock);
      if (ended === undefined) return;
      if (Date.now() > deadline) throw new Error(`Node ${this.name} did not start: ${ended}`);
    }
  }

  /** While something is about that is known to kill nodes. */
  allowDeaths(mayDie: boolean): void {
    this.#mayDie = mayDie;
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Sets the clock of the node to the next of its offsets. */
  jump(): void {
    this.signal(JUMP_SIGNAL);
  }

  async kill(): Promise<void> {
    this.#expectsEnd = true;
    this.#url = undefined;
    this.signal('SIGKILL');
    await this.#ended;
  }

  /** @returns the exit code of a planned stop; SIGKILL when it did not come to its end */
  async terminate(): Promise<number | NodeJS.Signals> {
    this.#expectsEnd = true;
    this.signal('SIGTERM');
    const late = setTimeout(() => this.signal('SIGKILL'), STOP_PATIENCE_MS);
    const ended = await this.#ended;
    clearTimeout(late);
    this.#url = undefined;
    return ended;
  }

  async #launch(clock: ClockFault): Promise<number | NodeJS.Signals | undefined> {
    const { name, project, logFolder, isSmall = false } = this.#options;
    const url = new URL(this.#options.databaseUrl);
    url.port = String(this.proxy.port);
    const skewed = clock === RIGHT_CLOCK ? {} : faultyEnvironment(null, clock);
    const child = spawn(process.execPath, ['src/main.ts', 'start'], {
      cwd: this.installation ?? ROOT,
      env: {
        ...process.env,
        ...skewed,
        NODE_OPTIONS: [PRELOAD, POISON_PRELOAD, skewed['NODE_OPTIONS']].filter(Boolean).join(' '),
        SVC_TEST_BLOCKABLE: 'yes',
        SVC_TEST_POISONABLE: 'yes',
        DATABASE_URL: this.#options.listedUrl ?? url.href,
        SVC_PROJECT: project,
        SVC_NODE_ID: name,
        SVC_ADMIN_PASSWORD: ADMIN_PASSWORD,
        SVC_SCRIPT_THREADS: isSmall ? '1' : '2',
        SVC_DATABASE_POOL: isSmall ? '2' : '5',
        SVC_DIAGNOSTICS: 'local',
        SVC_LOG_LEVEL: 'info',
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    // Whoever ends us ends our nodes.
    const killIt = () => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.off('exit', killIt));
    this.#expectsEnd = false;
    this.clock = clock;
    const ended = new Promise<number | NodeJS.Signals>((resolve) =>
      child.once('exit', (code, signal) => resolve(code ?? signal ?? 1)),
    );
    this.#ended = ended;
    const listening = this.#read(child, join(logFolder, `${name}.log`));
    const started = await Promise.race([listening, ended]);
    if (typeof started !== 'object') {
      const killed = this.#expectsEnd || this.#mayDie;
      if (!this.#expectsEnd && this.#mayDie) this.deaths += 1;
      this.#expectsEnd = true;
      return killed ? undefined : started;
    }
    this.#url = started.url;
    this.#livedFrom = Date.now();
    void ended.then((how) => {
      if (this.#child !== child) return;
      this.#url = undefined;
      if (this.#expectsEnd) return;
      this.deaths += 1;
      if (!this.#mayDie) this.unexpectedEnds.push({ node: name, at: Date.now(), how });
    });
    return undefined;
  }

  /** Keeps the log in a file; resolves when the node listens. */
  #read(child: ChildProcess, file: string): Promise<{ url: string }> {
    const log = createWriteStream(file, { flags: 'a' });
    child.once('close', () => log.end());
    return new Promise((resolve) => {
      for (const stream of [child.stdout!, child.stderr!]) {
        createInterface({ input: stream }).on('line', (text) => {
          log.write(`${new Date().toISOString()} ${text}\n`);
          if (/"level":"(?:warn|error)"/.test(text)) this.warnedAt.push(Date.now());
          const url = /"msg":"listening on ([^"]+)"/.exec(text)?.[1];
          if (url !== undefined) resolve({ url });
          const kind = /"kind":"([^"]+)"/.exec(text)?.[1];
          if (kind === undefined || !/failed|lost|fenced|Killed|parked|deadLetter|retried/i.test(kind))
            return;
          this.said.set(kind, (this.said.get(kind) ?? 0) + 1);
        });
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#expectsEnd = true;
    this.signal('SIGCONT');
    this.signal('SIGKILL');
    await this.#ended;
    await this.proxy[Symbol.asyncDispose]();
  }
}
