import type { Objection } from '#config/index.ts';

/** What the server says of itself below `/info`, whatever is configured. */
export const INFO_NAMES: readonly string[] = ['ping', 'login', 'version', 'uiconfig', 'features'];

const HINT = 'An endpoint-<name>.json runs such a script, below /endpoint';

/** What to say of an `info-<name>.json`: its script is not run, unless the server answers what that would. */
export function infoObjections(value: Readonly<Record<string, unknown>>, id: string): readonly Objection[] {
  const name = String(value['infocontext'] ?? id.slice(id.indexOf('/') + 1));
  const { file, source, name: script } = value;
  const text = String(file ?? script ?? source ?? '');
  if (INFO_NAMES.includes(name) && new RegExp(`\\binfo/${name}\\b`).test(text)) return [];
  const message = INFO_NAMES.includes(name)
    ? `its script does not run: the server itself answers /info/${name}`
    : `its script does not run: /info/${name} is a 501`;
  return [{ id: 'INFO_NOT_RUN', field: '', message, hint: HINT, isWarning: true }];
}

/** For whoever asks for one of those. */
export const NOT_RUN_HINT = `There are ${INFO_NAMES.join(', ')}. ${HINT}`;
