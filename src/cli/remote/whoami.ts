import type { Command } from '../command.ts';
import { showObject } from './output.ts';
import { atNode, remoteHelp, remoteOptions } from './remote-command.ts';

/** `svc whoami`: as whom a node sees the caller. */
export const whoami: Command = {
  name: 'whoami',
  summary: 'tell as whom a node sees you, with which roles',
  help: `
${remoteHelp}

Example: SVC_USER=avo svc whoami --password-stdin < password.txt
`,
  options: remoteOptions,
  run: (flags) =>
    atNode('whoami', flags, async (client, form) => {
      const login = await client.whoAmI();
      showObject(form === 'name' ? { _id: login['authenticationId'] } : login, form);
    }),
};
