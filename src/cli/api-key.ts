import { createApiKey } from '#security/index.ts';
import { parseInstant } from '#time/index.ts';
import { type Command, EXIT } from './command.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';

/** `svc api-key <id>`: a key for a program, and its entry in `authentication.json`. */
export const apiKey: Command = {
  name: 'api-key',
  summary: 'make an API key and its configuration entry',
  help: `
svc api-key <id> --roles <role,…>
svc api-key list|create|revoke       ask a node, which keeps keys itself: svc api-key list --help

  --roles <roles>     what the program may do; default: svc-authorized
  --expires <time>    when it ends, such as 2027-01-01T00:00:00Z; default: never
${toldHelp}

Prints the key, which is kept nowhere, to send as X-Svc-Api-Key; and the entry for keys of the module API_KEY in
conf/authentication.json, which holds its hash.

Example: svc api-key reporting --roles svc-authorized --expires 2027-01-01T00:00:00Z
`,
  options: { roles: { type: 'string' }, expires: { type: 'string' }, ...toldOptions },
  arguments: ['<id>'],

  async run({ roles, expires, output, json }, [id]) {
    const until = typeof expires === 'string' ? parseInstant(expires) : undefined;
    if (id === undefined || !/^[\w-]+$/.test(id) || Number.isNaN(until)) {
      complain(
        "svc api-key: expected 'svc api-key <id>' of letters, digits, - and _, and --expires as an ISO time",
      );
      return EXIT.USAGE;
    }
    const { key, hash } = createApiKey(id);
    const granted =
      typeof roles === 'string' ? roles.split(',').map((role) => role.trim()) : ['svc-authorized'];
    const expiresAt = until === undefined ? {} : { expiresAt: new Date(until).toISOString() };
    const entry = { id, hash, roles: granted, ...expiresAt };
    tell({ output, json }, { key, entry }, () => `key    ${key}\nentry  ${JSON.stringify(entry)}`);
    return EXIT.OK;
  },
};
