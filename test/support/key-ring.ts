const ALIASES = ['svc-sym-default', 'svc-selfservice-key', 'svc-jwtsessionhmac-key', 'svc-audit-key'];

/** Nodes on one database need the same ring. */
export const COMMON_RING = JSON.stringify(
  Object.fromEntries(ALIASES.map((alias, at) => [alias, [Buffer.alloc(32, 100 + at).toString('base64')]])),
);
