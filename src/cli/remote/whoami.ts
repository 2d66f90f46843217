import { showObject } from './output.ts';
import { commandOf } from './verb.ts';

/** `svc whoami`: as whom a node sees the caller. */
export const whoami = commandOf('whoami', 'tell as whom a node sees you, with which roles', {
  does: 'who you are there',
  example: 'SVC_USER=avo svc whoami --password-stdin < password.txt',
  async run({ client, form }) {
    const login = await client.whoAmI();
    showObject(form === 'name' ? { _id: login['authenticationId'] } : login, form);
  },
});
