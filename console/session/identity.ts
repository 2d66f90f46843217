import { createContext, useContext } from 'react';
import { client } from './client.ts';

/** Who is logged in. */
export interface Identity {
  /** As they log in. */
  readonly name: string;
  readonly id: string;
  /** Where the account is kept, such as `managed/user`. */
  readonly component: string;
  readonly roles: readonly string[];
}

interface Login {
  readonly authenticationId?: string;
  readonly authorization?: {
    readonly id?: string;
    readonly component?: string;
    readonly roles?: readonly string[];
  };
}

function identityOf({ authenticationId = '', authorization = {} }: Login): Identity {
  const { id = '', component = '', roles = [] } = authorization;
  return { name: authenticationId, id, component, roles };
}

/** @throws NotAllowedError for nobody */
export async function whoAmI(): Promise<Identity> {
  return identityOf(await client.whoAmI());
}

/** Begins a session. @throws NotAllowedError when name and password do not go together */
export async function logIn(user: string, password: string): Promise<Identity> {
  return identityOf(await asAccount<Login>('login', user, password));
}

export function logOut(): Promise<unknown> {
  return client.send({ method: 'POST', path: ['authentication'], parameters: { _action: 'logout' } });
}

/** A header carries no other letters than those of Latin-1, so they are written as RFC 5987 has it. */
function asAccount<R>(action: string, user: string, password: string, body?: unknown): Promise<R> {
  const extended = (text: string) => `UTF-8''${encodeURIComponent(text)}`;
  return client.send({
    method: 'POST',
    path: ['authentication'],
    parameters: { _action: action },
    headers: { 'X-Svc-Username': extended(user), 'X-Svc-Password': extended(password) },
    body,
  });
}

export interface Entrance {
  readonly password: boolean;
  readonly providers: readonly { readonly provider: string; readonly title?: string }[];
}

const NOBODY = 'anonymous';

/** How one can log in here. */
export function entrance(): Promise<Entrance> {
  return client.send({
    method: 'GET',
    path: ['authentication'],
    headers: { 'X-Svc-Username': NOBODY, 'X-Svc-Password': NOBODY },
  });
}

/** The address at an issuer where one logs in. */
export async function leaveFor(provider: string, returnTo: string): Promise<string> {
  const { location } = await asAccount<{ location: string }>('redirect', NOBODY, NOBODY, {
    provider,
    returnTo,
  });
  return location;
}

/** @returns the page that was left for the issuer */
export async function comeBack(search: URLSearchParams): Promise<string> {
  const said = await asAccount<{ returnTo: string }>('callback', NOBODY, NOBODY, Object.fromEntries(search));
  return said.returnTo;
}

export const IdentityContext = createContext<Identity | undefined>(undefined);

export function useIdentity(): Identity {
  const identity = useContext(IdentityContext);
  if (identity === undefined) throw new Error('Nobody is logged in here');
  return identity;
}
