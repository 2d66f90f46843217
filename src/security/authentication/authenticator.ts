import { errorIdOf, ForbiddenError, TooManyRequestsError } from '#errors/index.ts';
import { type ClientContext, type HttpContext, networkOf, type SecurityContext } from '#resource/index.ts';
import {
  type Attempt,
  type AuthenticationModule,
  type Identity,
  isSame,
  loginNameOf,
} from './authentication-module.ts';
import { accessDenied, decodeExtended, readCredentials } from './credentials.ts';
import type { PasswordComparisons } from './password-comparisons.ts';
import { RateLimit, type RateWords } from './rate-limit.ts';
import { cookieScope, PENDING_LOGIN, readCookie } from './session-cookie.ts';
import { SESSION_MODULE, type Sessions } from './sessions.ts';

export interface AuthenticatorParts {
  readonly modules: readonly AuthenticationModule[];
  /** Where each stands in `authentication.json`, and in which one. */
  readonly places: ReadonlyMap<AuthenticationModule, NonNullable<SecurityContext['cameBy']>>;
  /** Undefined where cookies are switched off. */
  readonly sessions: Sessions | undefined;
  /** The role of administrators. */
  readonly adminRole: string;
}

/** A login, or an attempt at one, as the audit tells of it. */
export interface LoginEvent {
  readonly result: 'SUCCESSFUL' | 'FAILED';
  readonly principal: string;
  readonly module?: string;
  readonly client: ClientContext;
  readonly requestId: string;
}

export interface AuthenticatorOptions {
  /** What the configuration says now. */
  readonly parts: () => AuthenticatorParts;
  readonly comparisons: Pick<PasswordComparisons, 'pretend' | 'wasRight'>;
  /** Where wrong tokens are counted; default: here alone. */
  readonly failures?: RateWords | undefined;
  readonly onLogin: (event: LoginEvent) => void;
  /** Somebody was turned away unheard; `why` is the id of the error. */
  readonly onRefused: (why: string, address: string) => void;
  /** An issuer could not be asked for its keys; the cause says why, such as a certificate that does not hold. */
  readonly onUnreachable: (error: Error) => void;
}

/** How many failures of one address, wrong passwords aside, are answered and recorded one by one. */
const FAILURES_PER_MINUTE = 60;

/** Turns what a caller shows into who it is. Credentials that are sent win over a session. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #failures: RateLimit;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#failures = new RateLimit(FAILURES_PER_MINUTE, options.failures);
  }

  /**
   * @throws UnauthorizedError in the same words whatever was wrong
   * @throws TooManyRequestsError after too many failures
   */
  async authenticate(
    header: Attempt['header'],
    client: ClientContext,
    requestId: string,
    http: HttpContext,
  ): Promise<SecurityContext> {
    const credentials = readCredentials(header);
    try {
      const attempt = { header, client, http, credentials, requestId };
      return await this.#withCookies(await this.#identify(attempt), attempt);
    } catch (error) {
      if (error instanceof TooManyRequestsError)
        this.#options.onRefused(String(errorIdOf(error)), client.remoteAddress);
      if (errorIdOf(error) === 'AUTH_ISSUER_UNREACHABLE') this.#options.onUnreachable(error as Error);
      throw error;
    }
  }

  async #identify(attempt: Attempt): Promise<SecurityContext> {
    const { header, client, credentials, requestId } = attempt;
    const parts = this.#options.parts();
    const { modules } = parts;
    for (const module of modules) {
      if (module.recall === undefined) continue;
      const found = await module.recall(attempt);
      if (found !== undefined) return this.#reauthenticated(letIn(found, module, parts), module, attempt);
    }
    let isWrongPassword = false;
    for (const module of modules) {
      const found = await module.authenticate(attempt);
      if (found === undefined) {
        isWrongPassword ||= credentials !== undefined && module.recall !== undefined;
        continue;
      }
      const principal = found.security.authenticationId;
      // With a password a login is something special; a token or a key is shown with every request.
      if (module.recall !== undefined) {
        this.#options.onLogin({ result: 'SUCCESSFUL', principal, module: module.name, client, requestId });
      } else if (isWrongPassword && module.verifyPassword === undefined) {
        // Whoever has a token or a key guesses no password with it that nobody hears of.
        await this.#failed(attempt);
      }
      return this.#reauthenticated(letIn(found, module, parts), module, attempt);
    }
    if (
      credentials === undefined &&
      header('authorization') === undefined &&
      header('x-svc-api-key') === undefined
    ) {
      return this.#fromSession(parts, attempt);
    }
    await this.#failed(attempt);
    throw accessDenied();
  }

  async #fromSession(parts: AuthenticatorParts, attempt: Attempt): Promise<SecurityContext> {
    const { sessions } = parts;
    if (sessions === undefined) throw accessDenied();
    const token = readCookie(attempt.header('cookie'), cookieScope(sessions.settings, attempt.client));
    const isBackground = attempt.header('x-svc-background') === '1';
    const found = token === undefined ? undefined : await sessions.find(token, attempt, isBackground);
    if (found === undefined) throw accessDenied();
    const { security, module } = found;
    return this.#reauthenticated(letIn({ security }, module, parts), module, attempt);
  }

  /**
   * With the password once more in its header, the caller may also change what is protected. Only a password is the
   * password once more: whoever shows a token or a key has none to show, whatever stands in the header.
   */
  async #reauthenticated(
    security: SecurityContext,
    module: AuthenticationModule,
    attempt: Attempt,
  ): Promise<SecurityContext> {
    const again = attempt.header('x-svc-reauth-password');
    if (again === undefined) return security;
    const credentials = { username: loginNameOf(security), password: decodeExtended(again) };
    const withPassword = { ...attempt, credentials };
    const found = await module.verifyPassword?.(withPassword);
    if (found !== undefined && isSame(found.security.authorization, security.authorization)) {
      return { ...security, authorization: { ...security.authorization, reauthenticated: true } };
    }
    if (module.verifyPassword !== undefined) await this.#failed(withPassword);
    // Clients of the field look for how it begins.
    throw new ForbiddenError(`Reauthentication failed for ${loginNameOf(security)}`, {
      id: 'AUTH_REAUTHENTICATION_FAILED',
      hint: 'Only who came in with a password can show it once more',
    });
  }

  async #withCookies(security: SecurityContext, { header, client }: Attempt): Promise<SecurityContext> {
    const { sessions } = this.#options.parts();
    const cookies = header('cookie');
    if (cookies === undefined || sessions === undefined) return security;
    const scope = cookieScope(sessions.settings, client);
    const pendingLogin = readCookie(cookies, scope, PENDING_LOGIN);
    const hasCome = security.authorization['moduleId'] === SESSION_MODULE;
    const token = hasCome ? undefined : readCookie(cookies, scope);
    const formerSession = token === undefined ? undefined : await sessions.idOf(token);
    return {
      ...security,
      ...(pendingLogin === undefined ? {} : { pendingLogin }),
      ...(formerSession === undefined ? {} : { formerSession }),
    };
  }

  async #failed(attempt: Attempt): Promise<void> {
    const { client, credentials, requestId } = attempt;
    const { comparisons } = this.#options;
    if (credentials === undefined || comparisons.wasRight(attempt)) this.#boundFailures(client);
    else await comparisons.pretend(attempt);
    const principal = credentials?.username ?? '';
    this.#options.onLogin({ result: 'FAILED', principal, client, requestId });
  }

  /**
   * Nobody guesses a token or a key, so wrong ones are in nobody's way, right ones least of all; nor does anybody guess
   * whose right password a script refuses. But each of these leaves a trace, and there must not be any number of those.
   */
  #boundFailures({ remoteAddress }: ClientContext): void {
    const seconds = this.#failures.take(networkOf(remoteAddress));
    if (seconds === 0) return;
    throw new TooManyRequestsError('Too many wrong tokens and keys', {
      id: 'AUTH_THROTTLED',
      hint: `Try again in ${seconds} s; a right one is let in at once`,
      detail: { retryAfterSeconds: seconds },
    });
  }
}

/** The security of a caller, with what says how it came in and is shown to nobody. */
export function letIn(
  { security, stamp }: Identity,
  module: AuthenticationModule,
  { places, adminRole }: AuthenticatorParts,
): SecurityContext {
  const cameBy = places.get(module);
  return {
    ...security,
    ...(stamp === undefined ? {} : { stamp }),
    ...(cameBy === undefined ? {} : { cameBy }),
    administers: security.authorization.roles.includes(adminRole),
  };
}
