import type { ConfigStore } from '#config/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import { getAt, type JsonValue, parsePointer } from '#json/index.ts';

/** Lists that open something beyond the server, by the id of their configuration. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = { workflow: ['/http/allow'] };

/**
 * Whoever may change configuration over REST may not thereby open the network to the server: such a list can be made shorter,
 * and longer in the file only.
 *
 * @throws ForbiddenError `CONFIG_OPERATORS_ONLY`
 */
export function requireNothingOpened(store: ConfigStore, id: string, after: JsonValue): void {
  for (const pointer of OPERATORS[id] ?? []) {
    const before = entries(getAt(store.findRaw(id) ?? null, parsePointer(pointer)));
    const added = entries(getAt(after, parsePointer(pointer))).find((entry) => !before.includes(entry));
    if (added === undefined) continue;
    throw new ForbiddenError(`'${added}' can be added to ${pointer} in the file only`, {
      id: 'CONFIG_OPERATORS_ONLY',
      field: pointer,
      hint: 'Whoever runs the server edits conf/workflow.json, or sets SVC_EGRESS_ALLOW',
    });
  }
}

function entries(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
