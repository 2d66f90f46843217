import { rotateKeys } from '#administration/index.ts';
import { overlayFlags, readSettings } from '#config/index.ts';
import { addKey, type KeyRingPlace, listKeys, openKeyRing, useKey } from '#crypto/index.ts';
import { findEmbeddedUrl, openDatabase } from '#database/index.ts';
import { type Command, EXIT } from './command.ts';
import { settingsHelp, settingsOptions } from './settings-flags.ts';

/** `svc keys list|add|use|rotate`: the key ring, and what is encrypted with it. */
export const keys: Command = {
  name: 'keys',
  summary: 'list and add keys, re-encrypt what is stored with them',
  help: `
svc keys list                the keys of the ring by their ids; a key itself is never shown
svc keys add <alias>         add a new key to keys.json, in waiting: it decrypts, another encrypts
svc keys use <alias> [<id>]  put the newest key of an alias, or that one, in use
svc keys rotate              encrypt again what older keys have encrypted, while nodes go on working

To change a key without a pause: add; give every node the new keys.json and start them again one by one; use; the same
again; rotate. A rotation that was broken off is run again. Old keys stay in the ring for as long as something may be
encrypted with them: backups, the audit trail, and values in files of conf/, which are not touched.

${settingsHelp}

Example: svc keys add svc-sym-default
`,
  options: settingsOptions,
  arguments: ['list|add|use|rotate', '[<alias>]', '[<id>]'],

  async run(flags, [verb, alias, id]) {
    const settings = readSettings(process.env, flags);
    const variable = overlayFlags(process.env, flags)['SVC_KEYS'];
    const place: KeyRingPlace = { variable, dataDirectory: settings.dataDirectory };
    if (verb === 'list') return list(place);
    if (verb === 'rotate') {
      return rotate(place, settings.databaseUrl ?? (await findEmbeddedUrl(settings.dataDirectory)));
    }
    if ((verb !== 'add' && verb !== 'use') || alias === undefined) {
      console.error("svc keys: expected 'svc keys list', 'add <alias>', 'use <alias> [<id>]' or 'rotate'");
      return EXIT.USAGE;
    }
    if (verb === 'add') {
      console.log(`key ${await addKey(place, alias)} of ${alias} waits; give every node the new keys.json`);
    } else {
      console.log(
        `key ${await useKey(place, alias, id)} of ${alias} is in use as soon as a node is started again`,
      );
    }
    return EXIT.OK;
  },
};

async function list(place: KeyRingPlace): Promise<number> {
  const { text } = await openKeyRing(place);
  for (const { alias, id, bits, isInUse } of listKeys(text)) {
    console.log(`${alias}  ${id}  ${bits} bits  ${isInUse ? 'in use' : 'decrypts'}`);
  }
  return EXIT.OK;
}

async function rotate(place: KeyRingPlace, url: string | undefined): Promise<number> {
  if (url === undefined) {
    console.error('There is no embedded database: start a node first, or set DATABASE_URL.');
    return EXIT.FINDING;
  }
  const { text } = await openKeyRing(place);
  const database = openDatabase({ url, poolSize: 2 });
  try {
    const left = await rotateKeys(database.db, {
      ring: text,
      onProgress: ({ title, seen, rewritten, missed, failures, isDone }) => {
        console.log(
          `${title}: ${seen} with encrypted values, ${rewritten} encrypted again${isDone ? '' : ' …'}`,
        );
        if (!isDone) return;
        if (missed > 0) console.log(`  ${missed} were changed meanwhile: run it again`);
        for (const { row, message } of failures) console.log(`  ${row}: ${message}`);
      },
    });
    return left === 0 ? EXIT.OK : EXIT.FINDING;
  } finally {
    await database.close();
  }
}
