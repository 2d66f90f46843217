/** What a parameter takes; the places in the list are the types of `prelude/signature.js`. */
const TYPES = ['value', 'string', 'stringOrNull', 'object', 'objectOrNull', 'array', 'arrayOrNull'] as const;
type ParameterType = (typeof TYPES)[number];

/** A function of the server as scripts call it: what the prelude checks its arguments by, and what is told of it. */
export interface ServerFunction {
  readonly does: string;
  readonly parameters: Readonly<Record<string, ParameterType>>;
  /** How many arguments there must be; those behind may be left out from the right. */
  readonly least: number;
  /** More may follow: what a text has places for, or a function that is called back. */
  readonly isOpen?: true;
}

interface ServerObject {
  readonly says: string;
  readonly functions: Readonly<Record<string, ServerFunction>>;
}

const TAIL = { params: 'objectOrNull', fields: 'arrayOrNull', context: 'objectOrNull' } as const;

function logs(level: string): ServerFunction {
  return {
    does: `writes a line of the level ${level}; each \`{}\` of the text takes the next argument`,
    parameters: { text: 'value' },
    least: 0,
    isOpen: true,
  };
}

function tells(what: string): ServerFunction {
  return { does: `the absolute path of ${what}`, parameters: {}, least: 0 };
}

/** The objects of functions that every script finds. */
export const SERVER_OBJECTS: Readonly<Record<string, ServerObject>> = {
  svc: {
    says: 'resources and cryptography',
    functions: {
      create: {
        does: 'creates an object and answers what was created',
        parameters: { container: 'string', id: 'stringOrNull', content: 'object', ...TAIL },
        least: 3,
      },
      read: {
        does: 'answers the content, or null where there is nothing',
        parameters: { path: 'string', ...TAIL },
        least: 1,
      },
      update: {
        does: 'replaces an object and answers the new content',
        parameters: { path: 'string', revision: 'stringOrNull', content: 'object', ...TAIL },
        least: 3,
      },
      patch: {
        does: 'changes parts of an object and answers the new content',
        parameters: { path: 'string', revision: 'stringOrNull', operations: 'array', ...TAIL },
        least: 3,
      },
      delete: {
        does: 'deletes an object and answers what was deleted',
        parameters: { path: 'string', revision: 'stringOrNull', ...TAIL },
        least: 2,
      },
      query: {
        does: 'answers `{result, …}`; exactly one of `_queryFilter`, `_queryId`, `_queryExpression` in `params`. A function as the last argument gets each result instead',
        parameters: { container: 'string', params: 'object', fields: 'arrayOrNull', context: 'objectOrNull' },
        least: 2,
        isOpen: true,
      },
      action: {
        does: 'answers what the action answers; `content` is any JSON value, and the action may be `params._action`',
        parameters: { path: 'string', action: 'stringOrNull', content: 'value', ...TAIL },
        least: 3,
      },
      encrypt: {
        does: 'encrypts a value; AES-256-GCM unless the cipher says otherwise',
        parameters: { value: 'value', cipher: 'stringOrNull', alias: 'string' },
        least: 3,
      },
      decrypt: {
        does: 'answers a copy with its secrets opened',
        parameters: { value: 'object' },
        least: 1,
      },
      hash: {
        does: 'hashes a value; argon2id unless the algorithm says otherwise',
        parameters: { value: 'value', algorithm: 'stringOrNull' },
        least: 2,
      },
      isEncrypted: {
        does: 'says whether a value is encrypted or hashed',
        parameters: { value: 'value' },
        least: 0,
      },
      isHashed: { does: 'says whether a value is hashed', parameters: { value: 'value' }, least: 0 },
      matches: {
        does: 'says whether a plain text is what was hashed',
        parameters: { plain: 'value', hashed: 'value' },
        least: 2,
      },
      generateRandomString: {
        does: 'makes such as a first password: `[{"rule": "UPPERCASE", "minimum": 1, "maximum": 4}]` with the rules `UPPERCASE`, `LOWERCASE`, `INTEGERS`, `SPECIAL`; also `require(\'crypto\').generateRandomString`',
        parameters: { rules: 'array', length: 'value' },
        least: 2,
      },
    },
  },
  identityServer: {
    says: 'properties and places of the server',
    functions: {
      getProperty: {
        does: 'answers a property that scripts may see, or the default',
        parameters: { name: 'string', default: 'value', useCache: 'value' },
        least: 1,
      },
      getWorkingLocation: tells('what the server works in'),
      getProjectLocation: tells('the project'),
      getInstallLocation: tells('the installation'),
    },
  },
  console: {
    says: 'lines of the log, of texts only',
    functions: { log: { ...logs('info'), does: 'writes texts as a line of the level info' } },
  },
  logger: {
    says: 'lines of the log with script and request',
    functions: Object.fromEntries(
      ['trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, logs(level)]),
    ),
  },
};

/** Functions that belong to no object. Only JavaScript has them; Groovy has classes and `import`. */
export const MODULE_FUNCTIONS: Readonly<Record<string, ServerFunction>> = {
  require: {
    does: 'answers a CommonJS module of the sources, evaluated once a run',
    parameters: { name: 'string' },
    least: 1,
  },
  load: {
    does: 'evaluates a file of the sources in the global scope; both see what the other declares',
    parameters: { path: 'string' },
    least: 1,
  },
};

interface Signature {
  readonly least: number;
  readonly types: readonly number[];
}

/** Signatures by object and function, as the prelude checks arguments. */
export const SIGNATURES: Readonly<Record<string, Readonly<Record<string, Signature>>>> = Object.fromEntries(
  Object.entries(SERVER_OBJECTS).map(([object, { functions }]) => [
    object,
    Object.fromEntries(
      Object.entries(functions).map(([name, { least, parameters }]) => [
        name,
        { least, types: Object.values(parameters).map((type) => TYPES.indexOf(type)) },
      ]),
    ),
  ]),
);
