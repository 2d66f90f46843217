import type { MappingConfig } from '#config/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';

/** When a mapping delivers what has changed. */
export interface DeliveryOrder {
  /** Other systems are asked in the unit of work of the change, and not after its commit. */
  readonly isAttached: boolean;
  /** Whoever makes a change finds it there when they are answered. */
  readonly isWaited: boolean;
  /** Names of mappings that have to have delivered an object before this one does. */
  readonly after: readonly string[];
}

/** @throws BadRequestError `SYNC_BAD_AFTER` for mappings that there are not, of other sources, or that wait for one another */
export function deliveryOrderOf(config: MappingConfig, others: readonly MappingConfig[]): DeliveryOrder {
  const { name, source, delivery } = config;
  const mode = typeof delivery === 'string' ? delivery : delivery?.mode;
  const after = [...new Set(afterOf(config))];
  for (const [index, before] of after.entries()) {
    const other = others.find((one) => one.name === before);
    const known = others.filter((one) => one.name !== name && sameSet(one.source, source));
    if (other === undefined || !sameSet(other.source, source)) {
      const why =
        other === undefined ? 'there is no such mapping' : `that is about changes of ${other.source}`;
      throw badAfter(index, `'${name}' cannot come after '${before}': ${why}`, {
        hint: didYouMean(
          before,
          known.map((one) => one.name),
        ),
      });
    }
    if (before === name || comesAfter(other, name, others)) {
      throw badAfter(index, `'${name}' and '${before}' wait for one another`, {});
    }
  }
  return { isAttached: mode === 'attached', isWaited: isWaited(config, mode), after };
}

/** Where nothing is said, it is as with servers of the field: they have queues where a mapping asks for one. */
function isWaited({ queuedSync }: MappingConfig, mode: string | undefined): boolean {
  return mode === 'waited' || (mode === undefined && queuedSync?.enabled !== true);
}

/** The same mappings, each behind those that it comes after, and else as they stand. */
export function inOrder<M extends { readonly name: string; readonly delivery: DeliveryOrder }>(
  mappings: readonly M[],
): readonly M[] {
  const left = [...mappings];
  const names = new Set(left.map(({ name }) => name));
  const ordered: M[] = [];
  while (left.length > 0) {
    const next = left.findIndex(({ delivery }) => !delivery.after.some((name) => names.has(name)));
    const [first] = left.splice(Math.max(next, 0), 1);
    if (first === undefined) break;
    names.delete(first.name);
    ordered.push(first);
  }
  return ordered;
}

function afterOf({ delivery }: MappingConfig): readonly string[] {
  return typeof delivery === 'object' ? (delivery.after ?? []) : [];
}

/** Whether one waits for another, be it through others. */
function comesAfter(
  config: MappingConfig,
  name: string,
  others: readonly MappingConfig[],
  seen: ReadonlySet<string> = new Set(),
): boolean {
  if (seen.has(config.name)) return false;
  const passed = new Set([...seen, config.name]);
  return afterOf(config).some((before) => {
    const other = others.find((one) => one.name === before);
    return before === name || (other !== undefined && comesAfter(other, name, others, passed));
  });
}

function sameSet(one: string, other: string): boolean {
  const trimmed = (set: string) => set.split('/').filter(Boolean).join('/');
  return trimmed(one) === trimmed(other);
}

function badAfter(index: number, message: string, { hint }: { readonly hint?: string | undefined }) {
  return new BadRequestError(message, {
    id: 'SYNC_BAD_AFTER',
    field: `/delivery/after/${index}`,
    ...(hint === undefined ? {} : { hint }),
  });
}
