import type { TestServer } from './server.ts';

/** A managed.json with the type `device` and others of these names. */
export const managedWith = (...names: string[]) => ({
  objects: ['device', ...names].map((name) => ({ name })),
});

/** Until the node has another managed.json. */
export const managedChanged = (node: TestServer) =>
  node.observed('config.changed', ({ id, change }) => id === 'managed' && change === 'changed');
