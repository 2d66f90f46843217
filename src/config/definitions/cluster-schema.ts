import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { flag, wholeNumber } from './scalar-schema.ts';

const schema = z.strictObject({
  instanceId: z.string().refine((id) => id.trim() !== '' && !id.includes('&{'), {
    message: 'must be the id of this node',
    params: { id: 'CLUSTER_NO_INSTANCE_ID' },
  }),
  instanceTimeout: wholeNumber({ min: 1 }).prefault(30_000),
  instanceRecoveryTimeout: wholeNumber({ min: 1 }).prefault(30_000),
  instanceCheckInInterval: wholeNumber({ min: 1 }).prefault(5_000),
  instanceCheckInOffset: wholeNumber().prefault(0),
  enabled: flag().prefault(true),
});

/** `cluster.json`: the id of the node. The times (milliseconds) of the field are checked, and have no effect here. */
export const clusterConfig = defineConfig({
  id: 'cluster',
  schema,
  defaults: { instanceId: '&{svc.node.id}' },
  withoutEffect: {
    keys: [
      'instanceTimeout',
      'instanceRecoveryTimeout',
      'instanceCheckInInterval',
      'instanceCheckInOffset',
      'enabled',
    ],
    because: 'every node is in the cluster, and one that is lost is found at once or after 3 s of silence',
  },
});
