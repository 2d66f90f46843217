import { auditConfig, clusterConfig } from '#config/index.ts';
import type { KeyRingText } from '#crypto/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { auditEvent } from './audit-event.ts';
import { AuditKeys } from './audit-keys.ts';
import { auditMonthKeeper } from './audit-month-keeper.ts';
import { auditInserts } from './audit-repository.ts';
import { auditResource } from './audit-resource.ts';
import { recordChanges } from './audit-trail.ts';
import { planAudit } from './plan-audit.ts';
import { unsealedSeconds } from './seal-repository.ts';
import { entrySigner, type SignEntry } from './signed-entry.ts';

export interface AuditFeature extends Feature {
  readonly keys: AuditKeys;
  /** Signs entries as those of this node. */
  readonly sign: SignEntry;
  /**
   * Records what a delivery of synchronisation has done, or why it could not: it is stored with the rest of the unit of work. Under the
   * topic `sync`, of a reconciliation under `recon`.
   */
  readonly record: (
    context: WriteContext,
    facts: JsonObject,
    objectId: string | null,
    topic?: 'sync' | 'recon',
  ) => Promise<void>;
}

/** `/audit`, the record of every change in the transaction that makes it, and the months of the trail. */
export function auditFeature(
  { database, config, observe, router }: Platform,
  keyRing: KeyRingText,
): AuditFeature {
  const keys = new AuditKeys(keyRing);
  const sign = entrySigner(keys, config.get(clusterConfig).instanceId);
  const options = { database, config: () => config.get(auditConfig), sign, router };
  recordChanges(options);
  config.addPlanner(auditConfig, {
    effectsOf: ({ previous, current }) => planAudit(database.db, previous, current),
  });
  return {
    keys,
    sign,
    async record({ unitOfWork, transactionId, security }, facts, objectId, topic = 'sync') {
      if (!config.get(auditConfig).eventTopics[topic].enabled) return;
      const who = { transactionId, userId: security.authenticationId };
      await unitOfWork.write(auditInserts, sign(auditEvent(topic, who, facts, objectId)));
    },
    resources: { 'audit*': auditResource(options) },
    node: () => ({
      services: [auditMonthKeeper({ ...options, keys, observe })],
      gauges: [
        {
          name: 'svc_audit_unsealed_seconds',
          help: 'How long the oldest entry of the audit has been waiting for its seal',
          ask: () => unsealedSeconds(database.db),
        },
      ],
    }),
  };
}
