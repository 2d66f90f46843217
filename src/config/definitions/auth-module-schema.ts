import { z } from 'zod';
import { isObject, type JsonObject } from '#json/index.ts';
import { internalRole } from './internal-role.ts';

/** Names, or references to internal roles. */
const roles = z
  .array(
    z
      .string()
      .min(1)
      .transform((role) => internalRole(role) ?? role),
  )
  .default([]);

/** The properties of accounts that say how somebody logs in, and with which roles. */
const mapping = (userRoles: string) =>
  z
    .looseObject({
      authenticationId: z.string().default('userName'),
      /** Another password ends the sessions that a token began, too. */
      userCredential: z.string().default('password'),
      userRoles: z.string().default(userRoles),
    })
    .prefault({});

/** `STATIC_USER`: one caller whose password is no secret, though it may be encrypted. */
const staticUserSettings = z.looseObject({
  username: z.string().min(1),
  password: z.union([
    z.string().min(1),
    z.custom<JsonObject>(
      (value) => isObject(value) && Object.hasOwn(value, '$crypto'),
      'neither a text nor a $crypto value',
    ),
  ]),
  defaultUserRoles: roles,
  queryOnResource: z.string().default('repo/internal/user'),
});
export type StaticUserSettings = z.output<typeof staticUserSettings>;

/** `MANAGED_USER` and `INTERNAL_USER`: callers with a stored password. */
const passwordModuleSettings = (userRoles: string) =>
  z.looseObject({
    queryOnResource: z.string().min(1),
    defaultUserRoles: roles,
    propertyMapping: mapping(userRoles),
  });
export type PasswordModuleSettings = z.output<ReturnType<typeof passwordModuleSettings>>;

/** Algorithms with a public key; a shared secret or none at all would let a caller sign for itself. */
const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/**
 * Keys that come without TLS are those of whoever is in between. On this machine nobody is; that it may be asked at all
 * is for the operator to allow (`SVC_EGRESS_ALLOW`).
 */
export function isSafeIssuerUrl(text: string): boolean {
  const { protocol, hostname, username, password } = URL.parse(text) ?? {};
  if (username !== '' || password !== '') return false;
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(?:127\.[\d.]+|\[::1\]|localhost)$/.test(hostname!))
  );
}

const issuerUrl = () =>
  z
    .url()
    .refine(
      isSafeIssuerUrl,
      'must be an https address without user and password; http is for this machine only',
    );

/** `OPENID_CONNECT`: bearer tokens that an issuer has signed. */
const bearerSettings = z
  .looseObject({
    issuer: issuerUrl(),
    audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    /** Default: what the issuer's `/.well-known/openid-configuration` says. */
    jwksUri: issuerUrl().optional(),
    algorithms: z.array(z.enum(SIGNATURES)).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']),
    /** Many issuers sign with RSA keys of 2048 bits, which are as good as symmetric ones of 112; 3072 are as good as 128. */
    minimumRsaBits: z.coerce.number().int().min(2048).max(16_384).default(2048),
    /** The claim that names the caller. */
    authenticationIdClaim: z.string().default('sub'),
    /** The claim that lists further roles; a text or a list of texts. */
    rolesClaim: z.string().optional(),
    /** Only these roles can come from the token. */
    acceptedRoles: roles,
    defaultUserRoles: roles,
    /** Where the caller is looked up; absent: the claims alone say who it is. */
    queryOnResource: z.string().optional(),
    /**
     * What callers who are not looked up are a part of. Another issuer has other people by the same names, and needs another
     * one; it has no slash, since what follows the first one is the name.
     */
    component: z
      .string()
      .regex(
        /^openid(?:-[\w-]{1,50})?$/,
        "must be 'openid', or 'openid-' and a name of letters, digits, _ and -",
      )
      .optional(),
    propertyMapping: mapping('authzRoles'),
    /**
     * When a token stands for the password once more: its `auth_time` is at most so long ago and, where any are listed,
     * its `acr` is one of these. Absent: never.
     */
    reauthentication: z
      .looseObject({
        maxAgeSeconds: z.coerce.number().positive(),
        acrValues: z.array(z.string().min(1)).min(1).optional(),
      })
      .optional(),
    /** Logging in with a browser at the issuer: an authorization code with PKCE. Absent: by tokens alone. */
    login: z
      .looseObject({
        /** What clients call it. */
        provider: z.string().regex(/^[\w-]{1,50}$/, 'must be of 1 to 50 letters, digits, _ and -'),
        /** What people read. Default: the name of the provider. */
        title: z.string().min(1).max(100).optional(),
        clientId: z.string().min(1),
        /** Absent for a public client. */
        clientSecret: z.string().min(1).optional(),
        /** Where the issuer sends the browser, as it is registered there: such as `https://svc.example.com/console/callback`. */
        redirectUri: issuerUrl(),
        scope: z
          .string()
          .refine((scope) => scope.split(' ').includes('openid'), "must have 'openid' in it")
          .default('openid profile email'),
      })
      .optional(),
    /** The `typ` of tokens that count. Only issuers that type their access tokens (RFC 9068) let them be told from others. */
    tokenTypes: z.array(z.string().min(1)).min(1).default(['JWT', 'at+jwt']),
    clockToleranceSeconds: z.coerce.number().min(0).max(300).default(30),
  })
  .refine(({ component, queryOnResource }) => component === undefined || queryOnResource === undefined, {
    path: ['component'],
    message: 'who is looked up is a part of queryOnResource',
  });
export type BearerSettings = z.output<typeof bearerSettings>;

/** `CLIENT_CERT`: a proxy has checked a certificate and says whose it is. */
const certificateSettings = z.looseObject({
  header: z.string().min(1).optional(),
  /** Addresses or networks of the proxies; nobody else is believed. */
  trustedProxies: z.array(z.string().min(1)).default([]),
  /** Regular expressions of the subjects that may come in. */
  allowedAuthenticationIdPatterns: z.array(z.string()).default([]),
  defaultUserRoles: roles.prefault(['svc-cert']),
  /** What the callers are called a part of; no account is looked up there. */
  queryOnResource: z.string().default('authentication/certificate'),
});
export type CertificateSettings = z.output<typeof certificateSettings>;

/** `TRUSTED_ATTRIBUTE`: a proxy has asked somebody who they are, and says so in a header. */
const trustedAttributeSettings = z.looseObject({
  /** The name of the header. */
  authenticationIdAttribute: z.string().min(1),
  trustedProxies: z.array(z.string().min(1)).default([]),
  queryOnResource: z.string().min(1),
  defaultUserRoles: roles,
  propertyMapping: mapping('authzRoles'),
});
export type TrustedAttributeSettings = z.output<typeof trustedAttributeSettings>;

/** `API_KEY`: callers that are programs. `hash` is the SHA-256 of the key in Base64url; `svc api-key` makes both. */
const apiKeySettings = z.looseObject({
  keys: z
    .array(
      z.looseObject({
        id: z.string().regex(/^[\w-]+$/),
        hash: z.string().length(43),
        roles,
        expiresAt: z.iso.datetime({ offset: true }).optional(),
      }),
    )
    .default([]),
  defaultUserRoles: roles,
});
export type ApiKeySettings = z.output<typeof apiKeySettings>;

const minutes = z.coerce.number().positive();

/** The session module. Times are minutes. */
export const sessionSettings = z.looseObject({
  maxTokenLifeMinutes: minutes.default(120),
  tokenIdleTimeMinutes: minutes.default(30),
  /** How many sessions one account may have at once; the next one ends the session that was used longest ago. */
  maxSessions: z.coerce.number().int().positive().default(100),
  /** Send the cookie over TLS only; `auto`: whenever the request came over TLS. */
  isSecure: z.union([z.boolean(), z.literal('auto')]).default('auto'),
  /** The cookie ends with the browser. */
  sessionOnly: z.boolean().default(true),
});
export type SessionSettings = z.output<typeof sessionSettings>;

function kind<Name extends string, Schema extends z.ZodType>(name: Name, schema: Schema) {
  return {
    schema,
    read(properties: JsonObject) {
      const { success, data, error } = schema.safeParse(properties);
      return success ? { known: { name, settings: data } } : { issues: error.issues };
    },
  };
}

/** What there is, by the name in the file. */
export const AUTH_MODULES = {
  STATIC_USER: kind('STATIC_USER', staticUserSettings),
  MANAGED_USER: kind('MANAGED_USER', passwordModuleSettings('authzRoles')),
  INTERNAL_USER: kind('INTERNAL_USER', passwordModuleSettings('roles')),
  OPENID_CONNECT: kind('OPENID_CONNECT', bearerSettings),
  CLIENT_CERT: kind('CLIENT_CERT', certificateSettings),
  TRUSTED_ATTRIBUTE: kind('TRUSTED_ATTRIBUTE', trustedAttributeSettings),
  API_KEY: kind('API_KEY', apiKeySettings),
} as const;

/** A module that is here, and its properties as they are meant. */
export type KnownModule = NonNullable<
  ReturnType<(typeof AUTH_MODULES)[keyof typeof AUTH_MODULES]['read']>['known']
>;
