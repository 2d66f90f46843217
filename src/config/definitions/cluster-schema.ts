import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { flag, wholeNumber } from './scalar-schema.ts';

const schema = z.strictObject({
  instanceId: z.string().refine((id) => id.trim() !== '' && !id.includes('&{'), {
    message: 'must be the id of this node',
    params: { id: 'CLUSTER_NO_INSTANCE_ID' },
  }),
  instanceTimeout: wholeNumber({ min: 1 }).default(30_000),
  instanceRecoveryTimeout: wholeNumber({ min: 1 }).default(30_000),
  instanceCheckInInterval: wholeNumber({ min: 1 }).default(5_000),
  instanceCheckInOffset: wholeNumber().default(0),
  enabled: flag().default(true),
});

/** `cluster.json`. Times are milliseconds. */
export const clusterConfig = defineConfig({
  id: 'cluster',
  schema,
  defaults: { instanceId: '&{svc.node.id}' },
});

export type ClusterConfig = z.output<typeof schema>;
