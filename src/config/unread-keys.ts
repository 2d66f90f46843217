import { didYouMean, type Finding, nearest } from '#errors/index.ts';
import type { AnyConfigDefinition } from './config-definition.ts';
import type { UndescribedKey } from './described-keys.ts';
import { type CheckedText, unreadKeysFinding } from './schema-finding.ts';

/** What JSON Schema says of values and nothing here checks or fills in. */
const UNCHECKED: ReadonlySet<string> = new Set([
  'default',
  'dependencies',
  'disallow',
  'divisibleBy',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'multipleOf',
  'unique',
  'uniqueItems',
]);

/** At most one finding for each thing worth saying of keys that the schema does not describe. */
export function unreadFindings(text: CheckedText, { id, unread }: AnyConfigDefinition): readonly Finding[] {
  const open = text.undescribed.filter(({ refused }) => !refused);
  const misspelt = open.filter((key) => isMisspelt(key) && (unread?.where?.(key.path) ?? true));
  const said = misspelt.map((key) =>
    unreadKeysFinding(text, [key], 'read by nothing', didYouMean(key.key, key.candidates)),
  );
  const others = open.filter((key) => !misspelt.includes(key));
  if (id === 'managed') return [...said, ...uncheckedFinding(text, others)];
  if (unread === undefined) return [];
  const idle = others.filter(({ path }) => unread.where?.(path) ?? true);
  return idle.length === 0 ? said : [...said, unreadKeysFinding(text, idle, 'read by nothing', unread.hint)];
}

/** Types may carry any metadata; said is only that a rule is none. */
function uncheckedFinding(text: CheckedText, keys: readonly UndescribedKey[]): readonly Finding[] {
  const unchecked = keys.filter(({ path, key }) => path.includes('properties') && UNCHECKED.has(key));
  if (unchecked.length === 0) return [];
  const what = 'not in force: a schema says the type, what is required, minLength and pattern';
  const hint = 'Write policies for the rest, and an onCreate script for what is there by default';
  return [unreadKeysFinding(text, unchecked, what, hint)];
}

/** Metadata have names of all kinds; a typing error is one or two letters. */
function isMisspelt({ key, candidates }: UndescribedKey): boolean {
  if (UNCHECKED.has(key) || key.length < 5) return false;
  const near = nearest(key, candidates);
  return near !== undefined && Math.abs(near.length - key.length) <= 1;
}
