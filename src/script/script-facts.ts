import { LRUCache } from 'lru-cache';
import {
  exportedNames,
  type MemberCall,
  memberCalls,
  parseScript,
  type RequiredModule,
  requiredModules,
  type ScriptSource,
} from './javascript/index.ts';

/** What a script names of others, as far as that is plain. */
export interface ScriptFacts {
  readonly modules: readonly RequiredModule[];
  readonly calls: readonly MemberCall[];
}

/** Each change of the configuration asks for all of its scripts again, and most say what they said. */
const MOST_CHARACTERS = 2_000_000;
/** How many characters are counted for each text besides its own. */
const OVERHEAD = 1_000;

function kept<T extends object>(): LRUCache<string, T> {
  return new LRUCache({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_value, text) => text.length + OVERHEAD,
  });
}

const facts = kept<ScriptFacts>();
const exported = kept<{ readonly names: ReturnType<typeof exportedNames> }>();

/** @param mostTokens undefined: as many as it has. @throws ScriptSyntaxError */
export function scriptFacts(script: ScriptSource, mostTokens?: number): ScriptFacts {
  const key = `${mostTokens} ${script.source}`;
  const known = facts.get(key);
  if (known !== undefined) return known;
  const { program } = parseScript(script, mostTokens);
  const found = { modules: requiredModules(program), calls: memberCalls(program) };
  facts.set(key, found);
  return found;
}

/** What a module gives to those who require it; of one that passes another on, its name. @throws ScriptSyntaxError */
export function moduleExports(module: ScriptSource): ReturnType<typeof exportedNames> {
  const known = exported.get(module.source);
  if (known !== undefined) return known.names;
  const names = exportedNames(parseScript(module).program);
  exported.set(module.source, { names });
  return names;
}
