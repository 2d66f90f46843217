import { randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { SessionSettings } from '#config/index.ts';
import { Batcher, type Database, type Db } from '#database/index.ts';
import { firstOf } from '#json/index.ts';
import type { Context, SecurityContext } from '#resource/index.ts';
import { type Asked, type AuthenticationModule, type Known, loginNameOf } from './authentication-module.ts';
import { accessDenied } from './credentials.ts';
import { type PersonNow, peopleNow } from './same-person.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  endOldestSessions,
  findSessions,
  insertSession,
  type SessionRow,
  touchSessions,
} from './session-repository.ts';

export const SESSION_MODULE = 'JWT_SESSION';

const MINUTE_MS = 60_000;
const ISSUER = 'svc';
const MAX_VERIFIED = 10_000;
const MAX_USER_AGENT = 500;

export interface SessionsOptions {
  readonly database: Database;
  /** Secrets to sign cookies with: the one in use first, replaced ones after it. */
  readonly secrets: readonly Uint8Array[];
  readonly settings: SessionSettings;
  readonly modules: readonly AuthenticationModule[];
}

/** Whoever came in by a session is asked for anew by the module that began it, and has shown no password since. */
export function byTheSameWay(now: SecurityContext, before: SecurityContext): SecurityContext {
  const { moduleId, loginModuleId } = before.authorization;
  if (moduleId !== SESSION_MODULE) return now;
  return { ...now, authorization: { ...now.authorization, moduleId, loginModuleId } };
}

interface Found {
  readonly security: SecurityContext;
  readonly module: AuthenticationModule;
}

/**
 * Sessions of browsers. The cookie is a signed token that names a row; the row can be ended, and ends by itself with
 * its time, with disuse, with the token, the key or the module that began it, with another password, and with the account. Who it
 * belongs to, and with which roles, is asked anew with each request.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** Tokens whose signature was right, which it remains; whether their session holds is asked of its row. */
  readonly #verified = new LRUCache<string, { readonly id: string; readonly expiresAt: number }>({
    // Not `max`, for which room is made at once: each look at a configuration makes these.
    maxSize: MAX_VERIFIED,
    sizeCalculation: () => 1,
  });
  /**
   * Read with each request, those of one turn of the event loop together: a session that was ended, on another node or
   * by hand, must not live on here.
   */
  readonly #rows: Batcher<string, SessionRow | undefined>;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#rows = new Batcher({ maxInFlight: 2, maxBatch: 500, run: (ids) => this.#read(ids) });
  }

  get settings(): SessionSettings {
    return this.#options.settings;
  }

  /**
   * Begins one for whoever the request comes from.
   *
   * @returns the token for the cookie; undefined when the module cannot say later whether the caller still may come in
   * @throws UnauthorizedError when it may not any more
   */
  async begin(db: Db, { security, client, http, transactionId }: Context): Promise<string | undefined> {
    const { authorization } = security;
    const authenticationId = loginNameOf(security);
    const { component, id: userId, roles } = authorization;
    const module = String(authorization['moduleId']);
    const claimedRoles = (authorization['claimedRoles'] ?? []) as string[];
    const known = { authenticationId, component, id: userId, claimedRoles };
    const { stamp } = security;
    if (stamp === undefined || this.#named(module).length === 0) return undefined;
    const asked = { client, http, requestId: transactionId };
    if ((await this.#refresh(module, known, asked, stamp)) === undefined) throw accessDenied();
    const { maxTokenLifeMinutes, tokenIdleTimeMinutes, maxSessions } = this.settings;
    const { expiresAt = Number.POSITIVE_INFINITY } = authorization as { expiresAt?: number };
    const lifeMs = Math.min(maxTokenLifeMinutes * MINUTE_MS, Math.max(0, expiresAt - Date.now()));
    const id = randomBytes(18).toString('base64url');
    await deleteExpiredSessions(db, tokenIdleTimeMinutes * MINUTE_MS);
    const row = {
      id,
      authentication_id: authenticationId,
      component,
      user_id: userId,
      module,
      roles: [...roles],
      claimed_roles: claimedRoles,
      credential_stamp: stamp,
      client_address: client.remoteAddress,
      user_agent: client.userAgent.slice(0, MAX_USER_AGENT),
    };
    await endOldestSessions(db, row, maxSessions - 1);
    await insertSession(db, row, lifeMs);
    return new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(ISSUER)
      .setJti(id)
      .setSubject(authenticationId)
      .setIssuedAt()
      .setExpirationTime(`${Math.ceil(lifeMs / 1000)} seconds`)
      .sign(firstOf(this.#options.secrets));
  }

  /** @returns whose it was; undefined where there was none */
  end(db: Db, id: string): Promise<string | undefined> {
    return deleteSession(db, id);
  }

  /**
   * Finds whom the session belongs to, as they are now, and the module that lets them in.
   *
   * @returns undefined when it does not hold
   */
  async find(token: string, asked: Asked, isBackground = false): Promise<Found | undefined> {
    const id = await this.idOf(token);
    const row = id === undefined ? undefined : await (isBackground ? this.#look(id) : this.#rows.add(id));
    if (row === undefined) return undefined;
    const { authentication_id, component, user_id, claimed_roles, credential_stamp } = row;
    const now = await this.#refresh(
      row.module,
      { authenticationId: authentication_id, component, id: user_id, claimedRoles: claimed_roles },
      asked,
      credential_stamp,
    );
    if (now === undefined) {
      // Not even an account that is given back brings the session back.
      await this.end(this.#options.database.db, row.id);
      return undefined;
    }
    const { authenticationId, authorization } = now.security;
    const facts = { moduleId: SESSION_MODULE, sessionId: row.id, loginModuleId: row.module };
    return {
      security: { authenticationId, authorization: { ...authorization, ...facts } },
      module: now.module,
    };
  }

  /** @param stamp of the identity that the session began with */
  async #refresh(
    name: string,
    known: Known,
    asked: Asked,
    stamp: string | null,
  ): Promise<PersonNow | undefined> {
    for await (const now of peopleNow(this.#options.modules, name, known, asked)) {
      if (now.stamp !== undefined && now.stamp === stamp) return now;
    }
    return undefined;
  }

  #named(module: string): readonly AuthenticationModule[] {
    return this.#options.modules.filter(({ name, refresh }) => name === module && refresh !== undefined);
  }

  /** The session that a token names, by its signature alone: whether it holds is asked of its row. */
  async idOf(token: string): Promise<string | undefined> {
    const known = this.#verified.get(token);
    if (known !== undefined) return known.expiresAt > Date.now() ? known.id : undefined;
    for (const key of this.#options.secrets) {
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], issuer: ISSUER });
        const { jti: id, exp = 0 } = payload;
        if (id === undefined) return undefined;
        this.#verified.set(token, { id, expiresAt: exp * 1_000 });
        return id;
      } catch {
        // Signed with another key of the ring, or with none of ours.
      }
    }
    return undefined;
  }

  /** The use of it is not noted. */
  async #look(id: string): Promise<SessionRow | undefined> {
    const idleMs = this.settings.tokenIdleTimeMinutes * MINUTE_MS;
    return (await findSessions(this.#options.database.db, [id], idleMs))[0];
  }

  async #read(ids: readonly string[]): Promise<readonly (SessionRow | undefined)[]> {
    const { db } = this.#options.database;
    const rows = await findSessions(db, ids, this.settings.tokenIdleTimeMinutes * MINUTE_MS);
    const stale = rows.filter((row) => row?.stale).map((row) => row!.id);
    if (stale.length > 0) await touchSessions(db, stale);
    return rows;
  }
}
