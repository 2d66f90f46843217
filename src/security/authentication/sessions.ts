import { randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { Batcher, type Database, type Db } from '#database/index.ts';
import type { SecurityContext } from '#resource/index.ts';
import { type AuthenticationModule, type Identity, identity } from './authentication-module.ts';
import type { SessionSettings } from './module-settings-schema.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  findSessions,
  insertSession,
  type SessionRow,
  touchSessions,
} from './session-repository.ts';

export const SESSION_COOKIE = 'session-jwt';
export const SESSION_MODULE = 'JWT_SESSION';

const MINUTE_MS = 60_000;
const ISSUER = 'svc';
const MAX_VERIFIED = 10_000;

export interface SessionsOptions {
  readonly database: Database;
  /** Secrets to sign cookies with: the one in use first, replaced ones after it. */
  readonly secrets: readonly Uint8Array[];
  readonly settings: SessionSettings;
  readonly modules: readonly AuthenticationModule[];
}

/**
 * Sessions of browsers. The cookie is a signed token that names a row; the row can be ended, and ends by itself with
 * its time, with disuse, with another password, and with the account.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** Tokens whose signature was right, which it remains; whether their session holds is asked of its row. */
  readonly #verified = new LRUCache<string, { readonly id: string; readonly expiresAt: number }>({
    max: MAX_VERIFIED,
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

  /** Begins one. @returns the token for the cookie */
  async begin(db: Db, { security, stamp }: Identity, module: string): Promise<string> {
    const { maxTokenLifeMinutes, tokenIdleTimeMinutes } = this.settings;
    const id = randomBytes(18).toString('base64url');
    const { authenticationId, authorization } = security;
    await deleteExpiredSessions(db, tokenIdleTimeMinutes * MINUTE_MS);
    await insertSession(
      db,
      {
        id,
        authentication_id: authenticationId,
        component: authorization.component,
        user_id: authorization.id,
        module,
        roles: [...authorization.roles],
        credential_stamp: stamp ?? null,
      },
      maxTokenLifeMinutes * MINUTE_MS,
    );
    return new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(ISSUER)
      .setJti(id)
      .setSubject(authenticationId)
      .setIssuedAt()
      .setExpirationTime(`${Math.ceil(maxTokenLifeMinutes * 60)} seconds`)
      .sign(this.#options.secrets[0]!);
  }

  async end(db: Db, id: string): Promise<void> {
    await deleteSession(db, id);
  }

  /** Who the session belongs to, as they are now. @returns undefined when it does not hold */
  async find(token: string): Promise<SecurityContext | undefined> {
    const id = await this.#idOf(token);
    const row = id === undefined ? undefined : await this.#rows.add(id);
    if (row === undefined) return undefined;
    const now = await this.#refresh(row);
    if (now === undefined || (row.credential_stamp ?? undefined) !== now.stamp) {
      // Not even an account that is given back brings it back.
      await this.end(this.#options.database.db, row.id);
      return undefined;
    }
    const { authenticationId, authorization } = now.security;
    return {
      authenticationId,
      authorization: {
        ...authorization,
        moduleId: SESSION_MODULE,
        sessionId: row.id,
        loginModuleId: row.module,
      },
    };
  }

  async #refresh(row: SessionRow): Promise<Identity | undefined> {
    const { authentication_id: name, component, user_id: id, module, roles } = row;
    const found = this.#options.modules.find((candidate) => candidate.name === module);
    if (found === undefined) return undefined;
    if (found.refresh !== undefined) return found.refresh(name);
    return identity({ name, module, component, id, roles });
  }

  async #idOf(token: string): Promise<string | undefined> {
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

  async #read(ids: readonly string[]): Promise<readonly (SessionRow | undefined)[]> {
    const { db } = this.#options.database;
    const rows = await findSessions(db, ids, this.settings.tokenIdleTimeMinutes * MINUTE_MS);
    const stale = rows.filter((row) => row?.stale).map((row) => row!.id);
    if (stale.length > 0) await touchSessions(db, stale);
    return rows;
  }
}
