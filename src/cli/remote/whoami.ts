import { isTable, showObject } from './output.ts';
import { isRecord } from './profiles.ts';
import { commandOf } from './verb.ts';

/** `svc whoami`: as whom a node sees the caller. */
export const whoami = commandOf('whoami', 'tell as whom a node sees you, with which roles', {
  does: 'who you are there',
  example: 'SVC_USER=avo svc whoami --password-stdin < password.txt',
  async run({ client, form }) {
    const login = await client.whoAmI();
    const name = login['authenticationId'];
    if (form === 'name') showObject({ _id: name }, form);
    else if (isTable(form) && isRecord(login['authorization'])) {
      showObject({ name, ...login['authorization'] }, form);
    } else showObject(login, form);
  },
});
