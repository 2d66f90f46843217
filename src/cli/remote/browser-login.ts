import { createServer, type ServerResponse } from 'node:http';
import { type Client, createClient, NotAllowedError } from '#client/index.ts';
import { complain } from '../typed-name.ts';
import { UsageError } from '../usage-error.ts';
import type { Profile } from './profiles.ts';

/** Nobody has logged in yet. */
const NOBODY = { user: 'anonymous', password: 'anonymous' };
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])$/;
const PATIENCE_MS = 300_000;

interface Begun {
  /** Where the browser goes. */
  readonly location: URL;
  /** What the node compares the answer with. */
  readonly cookie: string;
}

/**
 * The code flow of OpenID Connect for somebody at this machine (RFC 8252): the browser comes back to a port of it, and the node,
 * which has begun the login with PKCE, redeems the code that it brings.
 *
 * @throws UsageError where the node offers no such login, or the browser does not come back
 */
export async function withIssuer(url: string, wanted: string | undefined): Promise<Profile> {
  const cookies: string[] = [];
  const client = createClient({
    url,
    auth: NOBODY,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      cookies.push(...response.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? ''));
      return response;
    },
  });
  const provider = await providerOf(client, wanted);
  const { location } = await client.send<{ location: string }>(
    acting('redirect', { provider, port: await freePort() }),
  );
  const begun = { location: new URL(location), cookie: cookies.join('; ') };
  const answer = await comingBack(begun);
  cookies.length = 0;
  const call = acting('callback', Object.fromEntries(answer), { Cookie: begun.cookie });
  const { authenticationId } = await client.send<{ authenticationId: string }>(call);
  const cookie = cookies.find((each) => /session-jwt=./.test(each));
  if (cookie === undefined) throw new UsageError('this node keeps no sessions');
  return { url, user: authenticationId, cookie };
}

/** Where the issuer lets the browser come back to any port. */
async function freePort(): Promise<number> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
    const address = probe.address();
    if (typeof address === 'object' && address !== null) return address.port;
    throw new UsageError('no port of this machine is free');
  } finally {
    probe.close();
  }
}

function acting(action: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  return {
    method: 'POST',
    path: ['authentication'],
    parameters: { _action: action },
    body,
    headers,
  } as const;
}

interface Offer {
  readonly providers: readonly { readonly provider: string }[];
}

async function providerOf(client: Client, wanted: string | undefined): Promise<string> {
  const { providers } = await client.send<Offer>({ method: 'GET', path: ['authentication'] });
  const names = providers.map(({ provider }) => provider);
  const [only, other] = names;
  // The node says which there are when there is none of this name.
  if (wanted !== undefined) return wanted;
  if (only === undefined) throw new UsageError('this node knows no issuer where people log in');
  if (other !== undefined) throw new UsageError(`--provider names one of ${names.join(', ')}`);
  return only;
}

/** Listens where the issuer sends the browser, until it comes with the state that it was sent with. */
async function comingBack({ location }: Begun): Promise<URLSearchParams> {
  const back = URL.parse(location.searchParams.get('redirect_uri') ?? '');
  const state = location.searchParams.get('state');
  if (back === null || back.protocol !== 'http:' || !LOOPBACK.test(back.hostname)) {
    throw new UsageError(
      `the browser would come back to ${back?.origin ?? 'nowhere'}, and not to this machine; --provider names a login with a redirectUri such as http://127.0.0.1/callback`,
    );
  }
  const host = back.hostname.replace(/^\[|\]$/g, '');
  const port = Number(back.port || 80);
  const server = createServer();
  const come = new Promise<URLSearchParams>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new UsageError('nobody has come back from the browser in five minutes')),
      PATIENCE_MS,
    );
    server.once('error', (error) =>
      reject(new UsageError(`${back.origin} cannot be listened at: ${error.message}`)),
    );
    server.on('request', (request, response) => {
      const asked = URL.parse(request.url ?? '', back.origin);
      const isBack = request.method === 'GET' && asked?.pathname === back.pathname;
      // Any page may send a browser here; only the one that was sent away knows the state.
      if (!isBack || asked.searchParams.get('state') !== state) {
        return show(response, 404, 'There is nothing here.');
      }
      clearTimeout(timer);
      const refused = asked.searchParams.get('error');
      if (refused === null) {
        const { searchParams } = asked;
        return show(response, 200, 'You are back. This window can be closed.', () => resolve(searchParams));
      }
      const message = `The issuer refused the login: ${asked.searchParams.get('error_description') ?? refused}`;
      const error = new NotAllowedError({ code: 403, reason: 'Forbidden', message });
      return show(response, 200, 'The login was refused. This window can be closed.', () => reject(error));
    });
    server.listen(port, host, () => complain(`Open this in a browser to log in:\n\n  ${location.href}\n`));
  });
  try {
    return await come;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function show(response: ServerResponse, status: number, text: string, shown = () => {}): void {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Connection: 'close',
  };
  response.writeHead(status, headers).end(`${text}\n`, shown);
}
