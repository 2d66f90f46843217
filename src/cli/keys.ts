import { overlayFlags, readSettings } from '#config/index.ts';
import { addKey, type KeyRingPlace, listKeys, readKeyRing, useKey } from '#crypto/index.ts';
import { type Command, EXIT } from './command.ts';
import { forget, rotate } from './rotate-keys.ts';
import { projectHelp, settingsOptions } from './settings-flags.ts';
import { tell, toldHelp, toldOptions } from './told.ts';
import { complain } from './typed-name.ts';

/** `svc keys list|add|use|rotate|forget`: the key ring, and what is encrypted with it. */
export const keys: Command = {
  name: 'keys',
  summary: 'list and add keys, re-encrypt what is stored with them',
  help: `
svc keys list                the keys of the ring by their ids; a key itself is never shown
svc keys add <alias>         add a new key to keys.json, in waiting: it decrypts, another encrypts
svc keys use <alias> [<id>]  put the newest key of an alias, or that one, in use
svc keys rotate              encrypt again what older keys have encrypted, while nodes go on working
svc keys forget <alias> <id> let nodes start without a key that is lost; what is under it stays unreadable

  --new-alias       after add: the alias is a new one, for encryption of your own
  --files           after rotate: files of the project too; without it they are only looked at
${toldHelp}

To change a key without a pause: add; give every node the new keys.json and start them again one by one; use; the same
again; rotate. A rotation looks through every table, and exits 1 as long as something is under an older key; one that was
broken off is run again and goes on where it was. Once it exits 0, only backups of the database need the old keys.

${projectHelp('DATABASE_URL', 'SVC_KEYS')}

Example: svc keys add svc-sym-default
`,
  options: {
    ...settingsOptions,
    ...toldOptions,
    files: { type: 'boolean' },
    'new-alias': { type: 'boolean' },
  },
  arguments: ['list|add|use|rotate|forget', '[<alias>]', '[<id>]'],

  async run(flags, [verb, alias, id]) {
    const settings = readSettings(process.env, flags);
    const variable = overlayFlags(process.env, flags)['SVC_KEYS'];
    const place: KeyRingPlace = { variable, dataDirectory: settings.dataDirectory };
    if (verb === 'list') return list(place, flags);
    if (verb === 'rotate') return rotate(settings, place, flags);
    if (verb === 'forget' && alias !== undefined && id !== undefined) {
      return forget(settings, alias, id, flags);
    }
    if ((verb !== 'add' && verb !== 'use') || alias === undefined) {
      complain(
        "svc keys: expected 'svc keys list', 'add <alias>', 'use <alias> [<id>]', 'rotate' or 'forget <alias> <id>'",
      );
      return EXIT.USAGE;
    }
    if (verb === 'add') {
      const added = await addKey(place, alias, flags['new-alias'] === true);
      tell(
        flags,
        { alias, id: added, isInUse: false },
        () => `key ${added} of ${alias} waits; give every node the new keys.json`,
      );
    } else {
      const used = await useKey(place, alias, id);
      tell(
        flags,
        { alias, id: used, isInUse: true },
        () => `key ${used} of ${alias} is in use as soon as a node is started again`,
      );
    }
    return EXIT.OK;
  },
};

async function list(place: KeyRingPlace, flags: Parameters<Command['run']>[0]): Promise<number> {
  const { text, missing } = await readKeyRing(place);
  if (missing !== undefined) {
    complain(`svc keys: ${missing}; a node makes it at its first start, or give SVC_KEYS`);
    return EXIT.FINDING;
  }
  const listed = [...listKeys(text)].map(({ alias, id, bits, isInUse }) => ({ alias, id, bits, isInUse }));
  tell(flags, { keys: listed }, () =>
    listed
      .map(
        ({ alias, id, bits, isInUse }) => `${alias}  ${id}  ${bits} bits  ${isInUse ? 'in use' : 'decrypts'}`,
      )
      .join('\n'),
  );
  return EXIT.OK;
}
