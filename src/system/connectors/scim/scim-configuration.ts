import type { ConfigurationOf, ConfigurationProblem, ConfigurationProperties } from '../../contract.ts';

export const scimProperties = {
  SCIMEndpoint: {
    type: 'text',
    isRequired: true,
    does: 'Where the service is, such as https://id.example.com/scim/v2',
  },
  authenticationMethod: {
    type: 'text',
    default: 'TOKEN',
    does: 'TOKEN, BASIC, OAUTH (client credentials) or NONE',
  },
  authToken: { type: 'secret', does: 'Of TOKEN: what is sent as a bearer token' },
  user: { type: 'text', does: 'Of BASIC: by which name the server logs in' },
  password: { type: 'secret', does: 'Its password' },
  tokenEndpoint: { type: 'text', does: 'Of OAUTH: where a token is asked for' },
  clientId: { type: 'text', does: 'Of OAUTH: the name of the client' },
  clientSecret: { type: 'secret', does: 'Of OAUTH: its secret' },
  scope: { type: 'text', does: 'Of OAUTH: what it asks for' },
  caFile: {
    type: 'text',
    does: 'Certificates that are trusted, PEM, in the folder data of the project; default: those of Node',
  },
} as const satisfies ConfigurationProperties;

/** What others have: certificates are verified always, and the schema is read always. */
export const ignoredProperties = [
  'SCIMVersion',
  'grantType',
  'refreshToken',
  'readSchema',
  'maximumConnections',
  'requestTimeout',
  'connectionTimeout',
  'httpProxyHost',
  'httpProxyPort',
  'httpProxyUsername',
  'httpProxyPassword',
  'acceptSelfSignedCertificates',
  'disableHostNameVerifier',
  'clientCertAlias',
  'clientCertPassword',
  'proxyUri',
] as const;

export type ScimConfiguration = ConfigurationOf<typeof scimProperties>;

const NEEDED: Readonly<Record<string, readonly (keyof ScimConfiguration)[]>> = {
  NONE: [],
  TOKEN: ['authToken'],
  BASIC: ['user', 'password'],
  OAUTH: ['tokenEndpoint', 'clientId', 'clientSecret'],
};

export function scimProblems(configuration: ScimConfiguration): readonly ConfigurationProblem[] {
  const { authenticationMethod } = configuration;
  const needed = NEEDED[authenticationMethod.toUpperCase()];
  if (needed === undefined) {
    return [
      {
        property: 'authenticationMethod',
        message: `'${authenticationMethod}' is no way to log in`,
        hint: `There are ${Object.keys(NEEDED).join(', ')}`,
      },
    ];
  }
  const lacking = needed.filter((name) => configuration[name] === undefined);
  const places = (['SCIMEndpoint', 'tokenEndpoint'] as const).filter((name) => {
    const url = configuration[name];
    return url !== undefined && !/^https?:\/\/[^/@?#]+(?:\/[^?#]*)?$/.test(url);
  });
  return [
    ...lacking.map((property) => ({
      property,
      message: `'${property}' is missing for ${authenticationMethod}`,
    })),
    ...places.map((property) => ({
      property,
      message: `'${property}' is no address`,
      hint: 'Such as https://id.example.com/scim/v2, without a name, a password or a query',
    })),
  ];
}
