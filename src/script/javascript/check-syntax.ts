import { parseScript } from './parse-script.ts';
import type { ScriptSource } from './script-source.ts';

/** Whether the source is a script at all; nothing of it runs. @throws ScriptSyntaxError */
export function checkSyntax(script: ScriptSource): void {
  parseScript(script);
}
