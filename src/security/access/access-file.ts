import { ServiceUnavailableError } from '#errors/index.ts';
import type { Platform } from '#platform/index.ts';
import { systemContext } from '#resource/index.ts';
import { elementLines, findSyntaxError, parseScriptReference, type ScriptReference } from '#script/index.ts';
import type { AccessFile } from './access-rules.ts';
import { requiredTexts } from './required-texts.ts';

export const ACCESS_FILE = 'script/access.js';

/** Evaluates the text of `script/access.js`, where scripts run. */
export async function evaluateAccessFile(platform: Platform, text: string): Promise<AccessFile> {
  const { scripts, scriptFiles } = platform;
  // Whoever asks has seen a change, and what it requires may have changed with it.
  scriptFiles.forget();
  // What is put behind it must not move the place of a mistake.
  const mistake = findSyntaxError({ name: ACCESS_FILE, source: text });
  if (mistake !== undefined) {
    const { line, column, message } = mistake;
    throw new ServiceUnavailableError(`${ACCESS_FILE}:${line}:${column}  ${message}`, {
      id: 'SCRIPT_NOT_COMPILED',
    });
  }
  const reference = javascript(`${text}\n;httpAccessConfig;`);
  const { value } = await scripts.evaluate(systemContext(), { reference, label: ACCESS_FILE, bindings: {} });
  const lines = elementLines({ name: ACCESS_FILE, source: text }, 'configs');
  const required = await requiredTexts(platform, text);
  return { config: value, text, required, ...(lines === undefined ? {} : { lines }) };
}

export function javascript(source: string): ScriptReference {
  return parseScriptReference({ type: 'text/javascript', source }, '');
}

/** The text of `script/access.js`, to see when it changes. */
export async function accessFileText({ scriptFiles }: Platform): Promise<string | undefined> {
  return (await scriptFiles.find(ACCESS_FILE))?.text;
}
