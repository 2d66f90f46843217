/** Where a Postgres server may be. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
}

/** Several servers of which one is right, as a list of hosts or `target_session_attrs` in the URL of a database says. */
export interface DatabaseTargets {
  /** The addresses in the order in which they are asked. */
  readonly addresses: readonly DatabaseAddress[];
  /** The kind of server that is looked for. */
  readonly wants: 'primary' | 'standby' | 'any';
  /** How long each may take to answer. */
  readonly timeoutMs: number;
  /** The URL for one of them, as the driver reads it. */
  urlOf(address: DatabaseAddress): string;
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;
const HOST = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/;
const DEFAULT_PORT = 5432;
const TIMEOUT_S = 2;
/** A standby is for those who read, who go to the primary by themselves where there is none. */
const WANTED: Readonly<Record<string, DatabaseTargets['wants']>> = {
  any: 'any',
  'read-write': 'primary',
  primary: 'primary',
  standby: 'standby',
  'prefer-standby': 'standby',
};
/** What is ours to heed, and not the driver's. */
const OWN = ['target_session_attrs', 'load_balance_hosts', 'connect_timeout', 'host', 'port'];

/**
 * Reads a list of hosts as libpq does: `postgres://user@a:5432,b/svc?target_session_attrs=read-write`, or with `host=a,b` and
 * `port=…` behind the question mark. Where there are several, the one that takes changes is meant unless `any` is said.
 *
 * @returns undefined for the URL of one server, which is the driver's to read
 * @throws RangeError in words for whoever wrote it
 */
export function readDatabaseTargets(text: string): DatabaseTargets | undefined {
  const [, scheme, authority = '', path = '', query = ''] = URL_PARTS.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const at = authority.lastIndexOf('@') + 1;
  const [login, named] = [authority.slice(0, at), authority.slice(at)];
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('target_session_attrs');
  const hosts = (named === '' ? (parameters.get('host') ?? '') : named).split(',');
  if (hosts.length === 1 && (wanted ?? 'any') === 'any') return undefined;
  const wants = WANTED[wanted ?? 'read-write'];
  if (wants === undefined) {
    throw new RangeError(
      `has target_session_attrs=${wanted}; must be one of ${Object.keys(WANTED).join(', ')}`,
    );
  }
  const addresses = addressesOf(hosts, (parameters.get('port') ?? '').split(','));
  const seconds = Number(parameters.get('connect_timeout') ?? TIMEOUT_S);
  for (const name of OWN) parameters.delete(name);
  const rest = parameters.size === 0 ? path : `${path}?${parameters}`;
  return {
    addresses,
    wants,
    timeoutMs: (seconds > 0 ? seconds : TIMEOUT_S) * 1_000,
    urlOf: ({ host, port }) => `${scheme}${login}${host.includes(':') ? `[${host}]` : host}:${port}${rest}`,
  };
}

/** @param ports of all hosts or of each; those that hosts name themselves win */
function addressesOf(hosts: readonly string[], ports: readonly string[]): readonly DatabaseAddress[] {
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new RangeError(
      `has ${hosts.length} hosts and ${ports.length} ports; must have a port for each or one for all`,
    );
  }
  return hosts.map((text, place) => {
    const [, bracketed, plain, own] = HOST.exec(text) ?? [];
    const host = bracketed ?? plain ?? '';
    if (host === '' || host.startsWith('/') || host.includes('%')) {
      throw new RangeError(`has '${text}' in a list of hosts; must have names or addresses there`);
    }
    const port = own ?? (ports.length === 1 ? ports[0] : ports[place]) ?? '';
    return { host, port: port === '' ? DEFAULT_PORT : portOf(port) };
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port < 65_536) return port;
  throw new RangeError(`has the port '${text}'; must be from 1 to 65535`);
}
