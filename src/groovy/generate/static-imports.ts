import { staticMemberNames } from '../runtime/static-members.ts';
import { checkStatic, meaningValue } from './class-references.ts';
import type { Generation } from './generation.ts';

export function importedStatic(
  g: Generation,
  name: string,
  isCall: boolean,
  at: number,
): { type: string; member: string } | undefined {
  const single = g.classes.staticNames.get(name);
  if (single !== undefined) {
    const meaning = { kind: 'known', name: single.className } as const;
    checkStatic(g, meaning, single.member, isCall, at);
    return { type: meaningValue(g, meaning), member: JSON.stringify(single.member) };
  }
  for (const className of g.classes.staticStars) {
    if (isStaticMember(className, name, isCall)) {
      return { type: meaningValue(g, { kind: 'known', name: className }), member: JSON.stringify(name) };
    }
  }
  return undefined;
}

function isStaticMember(className: string, member: string, isCall: boolean): boolean {
  return staticMemberNames(className, isCall).has(member);
}
