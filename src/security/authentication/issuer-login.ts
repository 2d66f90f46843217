import { hash } from 'node:crypto';
import {
  BadRequestError,
  errorIdOf,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
} from '#errors/index.ts';
import { firstOf, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type ActionResult, type Context, networkOf, type WriteContext } from '#resource/index.ts';
import type { AuthenticationModule, CodeLogin } from './authentication-module.ts';
import type { AuthenticatorParts, LoginEvent } from './authenticator.ts';
import { answerWith, beginSession, requireSessions, sessionOf } from './begin-session.ts';
import { accessDenied } from './credentials.ts';
import { beginPending, pendingCookie, readPending } from './pending-login.ts';
import { RateLimit, type RateWords } from './rate-limit.ts';
import { cookieScope } from './session-cookie.ts';
import { useLogin } from './used-login-repository.ts';

const COMINGS_PER_MINUTE = 60;
const MOST_CODE = 4_000;

export interface IssuerLoginOptions {
  readonly parts: () => AuthenticatorParts;
  /** Secrets to sign with what a browser keeps meanwhile: the one in use first, replaced ones after it. */
  readonly secrets: readonly Uint8Array[];
  /** Where those who come back are counted; default: here alone. */
  readonly comings?: RateWords | undefined;
  readonly onLogin: (event: LoginEvent) => void;
  readonly onUnreachable: (error: Error) => void;
  /** An issuer has something against this server, and not against who logs in. */
  readonly onRefuses: (error: Error) => void;
}

/** Logins with a browser at an issuer. */
export class IssuerLogins {
  readonly #options: IssuerLoginOptions;
  readonly #comings: RateLimit;

  constructor(options: IssuerLoginOptions) {
    this.#options = options;
    this.#comings = new RateLimit(COMINGS_PER_MINUTE, options.comings);
  }

  /** @throws BadRequestError `AUTH_UNKNOWN_PROVIDER`, `AUTH_BAD_RETURN`, `AUTH_BAD_PORT`, `AUTH_NO_SESSIONS` */
  async redirect(context: Context, content: JsonValue): Promise<ActionResult> {
    const { provider, returnTo, port } = membersOf(content);
    const { modules, sessions } = this.#options.parts();
    const { settings } = requireSessions(sessions);
    const login = findLogin(modules, provider)?.codeLogin;
    if (login === undefined) throw unknownProvider(provider, modules);
    const pending = beginPending(login, returnTo, port);
    const location = await this.#asking(() => login.location(pending));
    const cookie = await pendingCookie(
      pending,
      firstOf(this.#options.secrets),
      cookieScope(settings, context.client),
    );
    return answerWith({ location }, cookie);
  }

  /**
   * @throws UnauthorizedError in the same words whatever was wrong
   * @throws ServiceUnavailableError `AUTH_ISSUER_REFUSES`
   * @throws TooManyRequestsError `AUTH_THROTTLED`
   */
  async comeBack(context: WriteContext, content: JsonValue): Promise<ActionResult> {
    const { client, http, unitOfWork, transactionId: requestId } = context;
    if (unitOfWork.dryRun) {
      throw new BadRequestError(
        'A login at an issuer cannot be rehearsed: its code is worth something once',
        {
          id: 'AUTH_NO_REHEARSAL',
        },
      );
    }
    const { code, state, iss } = membersOf(content);
    const { modules, sessions } = this.#options.parts();
    const begun = requireSessions(sessions);
    this.#bound(client.remoteAddress);
    const pending = await readPending(context.security.pendingLogin, this.#options.secrets);
    const module = pending && findLogin(modules, pending.provider);
    const isOurs = pending !== undefined && pending.state === state;
    const isWhole = typeof code === 'string' && code.length <= MOST_CODE;
    const isFrom = iss === undefined || iss === module?.codeLogin.issuer;
    const identity =
      module !== undefined && isOurs && isWhole && isFrom
        ? await this.#asking(() => module.codeLogin.redeem(code, pending, { client, http, requestId }))
        : undefined;
    // An issuer may redeem a code again; here somebody comes back once.
    const isFirst =
      identity !== undefined &&
      pending !== undefined &&
      (await useLogin(await unitOfWork.db(), hash('sha256', pending.state, 'base64url')));
    if (identity === undefined || module === undefined || pending === undefined || !isFirst) {
      this.#options.onLogin({ result: 'FAILED', principal: '', client, requestId });
      throw accessDenied();
    }
    const { security, stamp } = identity;
    const principal = security.authenticationId;
    this.#options.onLogin({ result: 'SUCCESSFUL', principal, module: module.name, client, requestId });
    const former = sessionOf(context);
    const caller = {
      ...security,
      ...(stamp === undefined ? {} : { stamp }),
      ...(former === undefined ? {} : { formerSession: former }),
    };
    return beginSession({ ...context, security: caller }, begun, { returnTo: pending.returnTo });
  }

  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof UnauthorizedError) this.#options.onUnreachable(error);
      const isRefusal = errorIdOf(error) === 'AUTH_ISSUER_REFUSES';
      if (error instanceof ServiceUnavailableError && isRefusal) this.#options.onRefuses(error);
      throw error;
    }
  }

  /** Each has this server ask an issuer. */
  #bound(address: string): void {
    const seconds = this.#comings.take(networkOf(address));
    if (seconds === 0) return;
    throw new TooManyRequestsError('Too many logins', {
      id: 'AUTH_THROTTLED',
      hint: `Try again in ${seconds} s`,
      detail: { retryAfterSeconds: seconds },
    });
  }
}

/** What clients offer to people. */
export function providersOf(modules: readonly AuthenticationModule[]): JsonObject[] {
  return modules.flatMap(({ codeLogin }) =>
    codeLogin === undefined ? [] : [{ provider: codeLogin.provider, title: codeLogin.title }],
  );
}

/** A module where people log in with a browser. */
type LoginModule = AuthenticationModule & { readonly codeLogin: CodeLogin };

function findLogin(
  modules: readonly AuthenticationModule[],
  provider: JsonValue | undefined,
): LoginModule | undefined {
  return modules.find(
    (module): module is LoginModule =>
      module.codeLogin !== undefined && module.codeLogin.provider === provider,
  );
}

function membersOf(content: JsonValue): JsonObject {
  return isObject(content) ? content : {};
}

function unknownProvider(
  provider: JsonValue | undefined,
  modules: readonly AuthenticationModule[],
): BadRequestError {
  const known = providersOf(modules).map((each) => each['provider']);
  const named =
    provider === undefined
      ? 'It is not said at which provider'
      : `There is no provider ${JSON.stringify(provider).slice(0, 100)}`;
  return new BadRequestError(named, {
    id: 'AUTH_UNKNOWN_PROVIDER',
    field: '/provider',
    hint: known.length === 0 ? 'No module OPENID_CONNECT has a login' : `There are ${known.join(', ')}`,
  });
}
