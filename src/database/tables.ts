import type { Generated, GeneratedAlways } from 'kysely';
import type { JsonObject } from '#json/index.ts';

/** One row per JSON object; `data` never holds `_id` or `_rev`. */
export interface ObjectTable {
  type: string;
  id: string;
  rev: Generated<number>;
  data: JsonObject;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** One edge between two objects; `properties` never holds `_id` or `_rev`. */
export interface RelationshipTable {
  id: string;
  rev: Generated<number>;
  first_collection: string;
  first_id: string;
  first_property: string;
  first_single: boolean;
  second_collection: string;
  second_id: string;
  second_property: string | null;
  second_single: boolean;
  properties: JsonObject;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface RelationshipEndView {
  id: string;
  rev: number;
  properties: JsonObject;
  owner_collection: string;
  owner_id: string;
  owner_property: string;
  target_collection: string;
  target_id: string;
  target_property: string | null;
}

export interface NodeTable {
  id: GeneratedAlways<number>;
  name: string;
  epoch: Generated<number>;
  state: Generated<'running' | 'down'>;
  roles: string[];
  started_at: Generated<Date>;
  seen_at: Generated<Date>;
  stopped_at: Date | null;
  recovery: JsonObject | null;
  configuration: string | null;
  alone: string | null;
  life: string | null;
  drained_at: Date | null;
  drained_by: string | null;
  holds_session: Generated<boolean>;
  listens: Generated<boolean>;
  tells: Generated<boolean>;
}

export interface JobTable {
  trigger_id: GeneratedAlways<number>;
  id: string;
  generation: Generated<number>;
  definition: JsonObject;
  source: 'rest' | 'file';
  content_hash: string;
  parked: JsonObject | null;
  owner_id: number | null;
  owner_epoch: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface DueTable {
  due_at: Date;
  fire_at: Date;
  trigger_id: number;
  generation: number;
  attempt: Generated<number>;
  late_from: Date | null;
  next_planned: Generated<boolean>;
  owner_id: number | null;
  owner_epoch: number | null;
}

export interface RunTable {
  trigger_id: number;
  generation: number;
  fire_at: Date;
  attempt: number;
  late_from: Date | null;
  next_planned: boolean;
  node_id: number;
  node_epoch: number;
  claimed_at: Generated<Date>;
  started_at: Date | null;
}

export interface TriggerView {
  _id: string;
  name: string;
  group: string;
  state: number;
  state_name: string;
  previous_state: number;
  acquired: boolean;
  nodeId: string | null;
  next_fire_at: Date | null;
  started_at: Date | null;
  parked: JsonObject | null;
  serialized: string;
  owner: string | null;
  trigger_id: number;
}

/** The tables and views of `migrations/`, as Kysely sees them. */
export interface SessionTable {
  id: string;
  authentication_id: string;
  component: string;
  user_id: string;
  module: string;
  roles: string[];
  claimed_roles: Generated<string[]>;
  credential_stamp: string | null;
  client_address: string | null;
  user_agent: string | null;
  created_at: Generated<Date>;
  seen_at: Generated<Date>;
  expires_at: Date;
}

export interface LoginFailureTable {
  key: string;
  failures: number;
  last_at: Date;
  blocked_until: Date;
}

export interface Tables {
  auth_session: SessionTable;
  login_failure: LoginFailureTable;
  managed_object: ObjectTable;
  repo_object: ObjectTable;
  relationship: RelationshipTable;
  relationship_end: RelationshipEndView;
  cluster_node: NodeTable;
  scheduler_job: JobTable;
  scheduler_due: DueTable;
  scheduler_run: RunTable;
  scheduler_trigger_view: TriggerView;
}
