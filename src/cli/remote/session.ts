import { createClient } from '#client/index.ts';
import { UsageError } from '../usage-error.ts';
import { withIssuer } from './browser-login.ts';
import { firstLine, noticing, readInput, secretOf, textOf, urlOf } from './connection.ts';
import { ListWriter, showObject } from './output.ts';
import {
  chosenProfile,
  findProfile,
  type Profile,
  readProfiles,
  saveProfile,
  writeProfiles,
} from './profiles.ts';
import { askSecret } from './prompt.ts';
import { showDone } from './report.ts';
import { commandOf, commandOfVerbs } from './verb.ts';

/** `svc login`: begins a session, or takes a key, and keeps it as a profile. */
export const login = commandOf(
  'login',
  'log in at a node, and keep that as a profile',
  {
    does: 'default: SVC_USER, else svc-admin',
    takes: ['[<user>]'],
    flags: {
      'api-key-stdin': { does: 'keeps the key that is the first line of the input' },
      oidc: { does: 'with a browser, at an issuer that the node trusts' },
      provider: { value: '<provider>', does: 'of --oidc: which one; default: the only one' },
    },
    example: 'svc login avo --url https://idm.example.com --profile production',
    async run({ flags, form }, user = process.env['SVC_USER'] ?? 'svc-admin') {
      const flag = textOf(flags, 'profile');
      const name = flag ?? chosenProfile(undefined);
      const before = readProfiles().profiles[name];
      const url = urlOf(flags, before);
      const profile: Profile =
        flags['oidc'] === true
          ? await withIssuer(url, textOf(flags, 'provider'))
          : flags['api-key-stdin'] === true
            ? await withKey(url, firstLine(readInput()).trim())
            : await withSession(url, user, await passwordOf(user, flags['password-stdin'] === true));
      const { profiles } = readProfiles();
      writeProfiles({ current: name, profiles: { ...profiles, [name]: profile } });
      const said = { profile: name, url, ...(profile.user === undefined ? {} : { user: profile.user }) };
      showObject(form === 'name' ? { _id: name } : said, form);
    },
  },
  `The profile is kept in ~/.config/svc/config.json (below XDG_CONFIG_HOME), for its owner alone. A password is not kept: it is
asked for on the terminal, or comes from SVC_PASSWORD or --password-stdin.

--oidc shows an address to open in a browser on this machine, and waits five minutes for it to come back. The provider is a
module OPENID_CONNECT whose login has a redirectUri such as http://127.0.0.1/callback, which is registered at the issuer:
without a port it comes back to any that is free, with one to that.`,
);

async function withKey(url: string, apiKey: string): Promise<Profile> {
  if (apiKey === '') throw new UsageError('the input holds no key');
  const { authenticationId } = await createClient({ url, auth: { apiKey } }).whoAmI();
  return { url, user: String(authenticationId), apiKey };
}

async function withSession(url: string, user: string, password: string): Promise<Profile> {
  let cookie: string | undefined;
  const fetch = noticing((begun) => {
    cookie = begun;
  });
  const client = createClient({ url, auth: { user, password }, fetch });
  await client.send({ method: 'POST', path: ['authentication'], parameters: { _action: 'login' } });
  if (cookie === undefined) {
    throw new UsageError('this node keeps no sessions; log in with a key: svc login --api-key-stdin');
  }
  return { url, user, cookie };
}

async function passwordOf(user: string, isInput: boolean): Promise<string> {
  if (isInput) return firstLine(readInput());
  const known = secretOf('SVC_PASSWORD');
  if (known !== undefined) return known;
  if (process.stdin.isTTY === true) return askSecret(`Password of ${user}: `);
  throw new UsageError('there is no password: --password-stdin, or SVC_PASSWORD');
}

/** `svc logout`: ends the session of a profile. */
export const logout = commandOf('logout', 'end the session of a profile, and forget it', {
  does: 'its address stays',
  example: 'svc logout --profile production',
  async run({ flags, form }) {
    const name = chosenProfile(textOf(flags, 'profile'));
    const profile = findProfile(name);
    if (profile === undefined) throw new UsageError(`there is no profile '${name}'`);
    const { url, cookie } = profile;
    saveProfile(name, { url });
    if (cookie !== undefined) {
      await createClient({ url, auth: { cookie } }).send({
        method: 'POST',
        path: ['authentication'],
        parameters: { _action: 'logout' },
      });
    }
    showDone({ form, flags }, { _id: name, url }, `logged out of ${url}`);
  },
});

/** `svc profile list|use|delete`. */
export const profile = commandOfVerbs({
  name: 'profile',
  summary: 'list the profiles that svc login has kept, and choose one',
  verbs: {
    list: {
      does: 'the profiles, and which one is in use',
      async run({ form }) {
        const { current, profiles } = readProfiles();
        const rows = Object.entries(profiles).map(([_id, { url, user, apiKey, cookie }]) => ({
          _id,
          url,
          user: user ?? '',
          with: apiKey !== undefined ? 'key' : cookie !== undefined ? 'session' : '',
          inUse: _id === current,
        }));
        new ListWriter(form, undefined).show(rows);
      },
    },
    use: {
      does: 'the one that counts from now on',
      takes: ['<profile>'],
      example: 'svc profile use production',
      async run(asked, name: string) {
        findNamed(name);
        writeProfiles({ ...readProfiles(), current: name });
        showDone(asked, { _id: name }, `profile ${name}`);
      },
    },
    delete: {
      does: 'forget it',
      takes: ['<profile>'],
      async run(asked, name: string) {
        findNamed(name);
        const { current, profiles } = readProfiles();
        const { [name]: _gone, ...left } = profiles;
        writeProfiles({ current: current === name ? 'default' : current, profiles: left });
        showDone(asked, { _id: name }, `profile ${name} is forgotten`);
      },
    },
  },
});

function findNamed(name: string): Profile {
  const found = findProfile(name);
  if (found === undefined) throw new UsageError(`there is no profile '${name}'`);
  return found;
}
