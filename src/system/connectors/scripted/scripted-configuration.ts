import {
  type ConfigurationOf,
  type ConfigurationProblem,
  type ConfigurationProperties,
  shownAddress,
} from '../../contract.ts';

export const scriptedProperties = {
  file: {
    type: 'text',
    isRequired: true,
    does: 'The JavaScript file among the sources of scripts, such as systems/crm.js',
  },
  allow: {
    type: 'list',
    isRequired: true,
    does: 'Where its requests may go, such as https://api.example.com/v2; what is below the first can be asked for by path',
  },
  authenticationMethod: {
    type: 'text',
    default: 'NONE',
    does: 'NONE, TOKEN, BASIC, HEADER or OAUTH (client credentials): what is added to its requests',
  },
  authToken: { type: 'secret', does: 'Of TOKEN and HEADER: what is sent' },
  headerName: { type: 'text', does: 'Of HEADER: in which header, such as X-Api-Key' },
  user: { type: 'text', does: 'Of BASIC: by which name the server logs in' },
  password: { type: 'secret', does: 'Its password' },
  tokenEndpoint: { type: 'text', does: 'Of OAUTH: where a token is asked for' },
  clientId: { type: 'text', does: 'Of OAUTH: the name of the client' },
  clientSecret: { type: 'secret', does: 'Of OAUTH: its secret' },
  scope: { type: 'text', does: 'Of OAUTH: what it asks for' },
  parameters: {
    type: 'list',
    default: [],
    does: 'What the script is to know, such as tenant=42; no secrets',
  },
  changes: {
    type: 'text',
    default: 'none',
    does: 'What its function changes tells: full, upserts (not what was deleted) or none',
  },
  createIsBlind: {
    type: 'flag',
    default: false,
    does: 'Whether the service makes a second object when it is asked for the same twice, instead of refusing it (409)',
  },
  scriptTimeout: {
    type: 'number',
    default: 10_000,
    does: 'Milliseconds that one call of the script may take, its requests included',
  },
  caFile: {
    type: 'text',
    does: 'Certificates that are trusted, PEM, in the folder data of the project; default: those of Node',
  },
} as const satisfies ConfigurationProperties;

export type ScriptedConfiguration = ConfigurationOf<typeof scriptedProperties>;

const NEEDED: Readonly<Record<string, readonly (keyof ScriptedConfiguration)[]>> = {
  NONE: [],
  TOKEN: ['authToken'],
  BASIC: ['user', 'password'],
  HEADER: ['headerName', 'authToken'],
  OAUTH: ['tokenEndpoint', 'clientId', 'clientSecret'],
};

export function isTold(changes: string): changes is 'none' | 'upserts' | 'full' {
  return ['none', 'upserts', 'full'].includes(changes);
}

const PLACE = /^https?:\/\/[^/@?#]+(?:\/[^?#]*)?$/;
const LONGEST_MS = 600_000;

export function scriptedProblems(configuration: ScriptedConfiguration): readonly ConfigurationProblem[] {
  const { file, allow, authenticationMethod, tokenEndpoint, headerName, parameters, changes, scriptTimeout } =
    configuration;
  const needed = NEEDED[authenticationMethod.toUpperCase()];
  const problems: ConfigurationProblem[] = [];
  if (!file.endsWith('.js')) {
    problems.push({
      property: 'file',
      message: `'${file}' is no file of JavaScript`,
      hint: 'A connector is one file that ends with .js; what others have in Groovy becomes its functions',
    });
  }
  if (needed === undefined) {
    problems.push({
      property: 'authenticationMethod',
      message: `'${authenticationMethod}' is no way to log in`,
      hint: `There are ${Object.keys(NEEDED).join(', ')}`,
    });
  }
  for (const property of needed ?? []) {
    if (configuration[property] !== undefined) continue;
    problems.push({ property, message: `'${property}' is missing for ${authenticationMethod}` });
  }
  const places = [
    ...allow.map((url) => ({ property: 'allow', url })),
    ...(tokenEndpoint === undefined ? [] : [{ property: 'tokenEndpoint', url: tokenEndpoint }]),
  ];
  for (const { property, url } of places) {
    if (PLACE.test(url) && URL.canParse(url)) continue;
    problems.push({
      property,
      message: `'${shownAddress(url)}' is no address`,
      hint: 'Such as https://api.example.com/v2, without a name, a password or a query',
    });
  }
  if (headerName !== undefined && !/^[A-Za-z0-9-]+$/.test(headerName)) {
    problems.push({ property: 'headerName', message: `'${headerName}' is no name of a header` });
  }
  if (!isTold(changes)) {
    problems.push({
      property: 'changes',
      message: `'changes' is '${changes}'`,
      hint: 'There are full, upserts and none',
    });
  }
  const strange = parameters.find((one) => !/^\w+=/.test(one));
  if (strange !== undefined) {
    problems.push({ property: 'parameters', message: `'${strange}' is not of the form name=value` });
  }
  if (scriptTimeout < 1 || scriptTimeout > LONGEST_MS) {
    problems.push({
      property: 'scriptTimeout',
      message: `'scriptTimeout' is ${scriptTimeout}; it may be from 1 to ${LONGEST_MS}`,
    });
  }
  return problems;
}
