/** What observations are counted and measured by. Label values are bounded: names of schedules and scripts yes, ids never. */
export const METRICS = {
  http: {
    type: 'histogram',
    name: 'svc_http_request_duration_seconds',
    help: 'Time to answer an HTTP request',
    labels: ['method', 'status'],
  },
  fired: {
    type: 'counter',
    name: 'svc_firings_total',
    help: 'Runs that ended, by schedule and outcome',
    labels: ['schedule', 'outcome'],
  },
  lateness: {
    type: 'histogram',
    name: 'svc_trigger_lateness_seconds',
    help: 'Time from the planned to the actual start of a run',
    labels: [],
  },
  script: {
    type: 'histogram',
    name: 'svc_script_duration_seconds',
    help: 'Time a script took, by outcome',
    labels: ['outcome'],
  },
  jobs: {
    type: 'histogram',
    name: 'svc_job_duration_seconds',
    help: 'Time a job of a queue took, by how it ended',
    labels: ['queue', 'outcome'],
  },
  rolledBack: {
    type: 'counter',
    name: 'svc_db_rolled_back_total',
    help: 'Fail-overs by which something was lost that this node had seen to be written',
    labels: [],
  },
  reconciled: {
    type: 'counter',
    name: 'svc_recon_entries_total',
    help: 'Entries of reconciliations that ended, by what was found and done',
    labels: ['mapping', 'situation', 'action', 'outcome'],
  },
  followed: {
    type: 'counter',
    name: 'svc_livesync_changes_total',
    help: 'Changes of other systems that were followed, by outcome; what has failed is tried again',
    labels: ['source', 'outcome'],
  },
  scanned: {
    type: 'counter',
    name: 'svc_scan_objects_total',
    help: 'Objects of scans that ended, by outcome',
    labels: ['scan', 'outcome'],
  },
  operated: {
    type: 'counter',
    name: 'svc_operation_objects_total',
    help: 'Objects of operations that ended, by outcome',
    labels: ['act', 'outcome'],
  },
  loops: {
    type: 'counter',
    name: 'svc_loop_failures_total',
    help: 'Failed rounds of a background loop',
    labels: ['loop'],
  },
  reloads: {
    type: 'counter',
    name: 'svc_config_reload_total',
    help: 'Configuration changes, by result',
    labels: ['result'],
  },
  recovered: {
    type: 'counter',
    name: 'svc_node_lost_total',
    help: 'Nodes that this node found dead and recovered',
    labels: [],
  },
  logins: {
    type: 'counter',
    name: 'svc_login_total',
    help: 'Logins with credentials, by result',
    labels: ['result'],
  },
  refusedLogins: {
    type: 'counter',
    name: 'svc_login_refused_total',
    help: 'Logins that were not compared: AUTH_THROTTLED after too many failures, AUTH_BUSY while too many wait',
    labels: ['why'],
  },
  refusedMessages: {
    type: 'counter',
    name: 'svc_http_refused_total',
    help: 'Messages that were turned away at the door: unsound, too slow, or too many (HTTP_RATE_LIMIT)',
    labels: ['why'],
  },
  systemCalls: {
    type: 'histogram',
    name: 'svc_system_call_duration_seconds',
    help: 'Time that a call of another system took, by what came of it',
    labels: ['system', 'operation', 'outcome'],
  },
  systemUp: {
    type: 'gauge',
    name: 'svc_system_up',
    help: '0 since another system is not asked because it does not answer, 1 since it is back',
    labels: ['system'],
  },
  listening: {
    type: 'gauge',
    name: 'svc_listen_connected',
    help: '1 while wake-ups arrive, 0 while only polling',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

interface Metric {
  /** A histogram is of seconds. */
  readonly type: 'counter' | 'histogram' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export type MetricName = keyof typeof METRICS;
type Labels<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['labels'][number], string | number>
>;

export interface Sample {
  readonly metric: MetricName;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** @param value what a counter grows by, what a histogram takes in, what a gauge is set to */
export function sample<Name extends MetricName>(metric: Name, labels: Labels<Name>, value = 1): Sample {
  return { metric, labels, value };
}
