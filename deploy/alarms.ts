/** What somebody should be called or told for, and where the guide says what to do: the source of `deploy/prometheus/`. */
export interface Alarm {
  readonly name: string;
  readonly expression: string;
  /** How long it must hold, as Prometheus writes it; absent: at once. */
  readonly holdsFor?: string;
  /** `page`: somebody must come now. `ticket`: within days. */
  readonly severity: 'page' | 'ticket';
  readonly summary: string;
  /** A heading of docs/operations.md, as a link names it. */
  readonly goTo: string;
}

/** The name under which Prometheus scrapes nodes; the chart and the example of the guide give it. */
export const JOB = 'svc';

const p99 = (metric: string) => `histogram_quantile(0.99, sum by (le) (rate(${metric}_bucket[5m])))`;

export const ALARMS: readonly Alarm[] = [
  {
    name: 'SvcNodeDown',
    expression: `up{job="${JOB}"} == 0`,
    holdsFor: '1m',
    severity: 'page',
    summary: 'A node does not answer Prometheus',
    goTo: 'a-node-is-not-ready',
  },
  {
    name: 'SvcRequestsFail',
    expression: 'sum(rate(svc_http_request_duration_seconds_count{status=~"5.."}[5m])) > 0.1',
    holdsFor: '2m',
    severity: 'page',
    summary: 'Requests fail on our side: {{ $value | humanize }} a second',
    goTo: 'it-is-slow',
  },
  {
    name: 'SvcRequestsSlow',
    expression: `${p99('svc_http_request_duration_seconds')} > 2 * (${p99('svc_http_request_duration_seconds').replace('[5m]', '[5m] offset 1d')}) and ${p99('svc_http_request_duration_seconds')} > 0.5`,
    holdsFor: '10m',
    severity: 'ticket',
    summary:
      'The 99th percentile of requests takes {{ $value | humanizeDuration }}, twice as long as a day ago',
    goTo: 'it-is-slow',
  },
  {
    name: 'SvcScheduleFails',
    expression: 'sum by (schedule) (rate(svc_firings_total{outcome="failed"}[15m])) > 0',
    severity: 'ticket',
    summary: 'Schedule {{ $labels.schedule }} runs and fails',
    goTo: 'a-schedule-fails',
  },
  {
    name: 'SvcSchedulesLate',
    expression: `${p99('svc_trigger_lateness_seconds')} > 10`,
    holdsFor: '5m',
    severity: 'page',
    summary: 'Schedules start {{ $value | humanizeDuration }} late: too few seats, or paused',
    goTo: 'a-schedule-did-not-run',
  },
  {
    name: 'SvcScheduleMisfired',
    expression: 'sum by (schedule) (increase(svc_firings_total{outcome="misfired"}[15m])) > 0',
    severity: 'ticket',
    summary: 'Planned times of schedule {{ $labels.schedule }} were given up',
    goTo: 'a-schedule-did-not-run',
  },
  {
    name: 'SvcJobDead',
    expression: 'sum by (queue) (rate(svc_job_duration_seconds_count{outcome="dead"}[15m])) > 0',
    severity: 'ticket',
    summary: 'A job of queue {{ $labels.queue }} has failed for good',
    goTo: 'processes-stand-still',
  },
  {
    name: 'SvcQueueGrows',
    expression: 'max(svc_queue_ready) > 1000 and max(deriv(svc_queue_ready[15m])) > 0',
    holdsFor: '15m',
    severity: 'ticket',
    summary: '{{ $value }} jobs wait, and more come than are done',
    goTo: 'processes-stand-still',
  },
  {
    name: 'SvcScheduleParked',
    expression: 'sum by (schedule) (increase(svc_firings_total{outcome="parked"}[15m])) > 0',
    severity: 'page',
    summary: 'Schedule {{ $labels.schedule }} was given up, because nodes died of it',
    goTo: 'a-node-died',
  },
  {
    name: 'SvcNodeLost',
    expression: 'sum(increase(svc_node_lost_total[15m])) > 0',
    severity: 'ticket',
    summary: 'A node died and was taken over from',
    goTo: 'a-node-died',
  },
  {
    name: 'SvcRolledBack',
    expression: 'sum(increase(svc_db_rolled_back_total[15m])) > 0',
    severity: 'page',
    summary: 'A standby has taken over that lacked what was confirmed',
    goTo: 'a-fail-over-has-lost-something',
  },
  {
    name: 'SvcLoopFails',
    expression: 'sum by (loop) (increase(svc_loop_failures_total[15m])) > 0',
    holdsFor: '15m',
    severity: 'ticket',
    summary: 'The loop {{ $labels.loop }} fails, and tries again',
    goTo: 'a-node-is-not-ready',
  },
  {
    name: 'SvcLockWait',
    expression: 'max by (instance) (svc_db_lock_wait_seconds) > 10',
    holdsFor: '1m',
    severity: 'ticket',
    summary: 'Work of {{ $labels.instance }} waits for a lock that somebody holds',
    goTo: 'it-is-slow',
  },
  {
    name: 'SvcPoolExhausted',
    expression: 'min_over_time(svc_db_pool_waiting[1m]) > 0',
    severity: 'ticket',
    summary: 'All connections of {{ $labels.instance }} to Postgres are busy',
    goTo: 'it-is-slow',
  },
  {
    name: 'SvcNotWoken',
    expression: 'svc_listen_connected == 0',
    holdsFor: '10m',
    severity: 'ticket',
    summary: 'No wake-ups reach {{ $labels.instance }}; it polls, which is slower and safe',
    goTo: 'pgbouncer',
  },
  {
    name: 'SvcMemoryGrows',
    expression:
      'predict_linear(process_resident_memory_bytes{job="svc"}[2d], 3 * 86400) > 2 * process_resident_memory_bytes{job="svc"}',
    holdsFor: '6h',
    severity: 'ticket',
    summary: 'The memory of {{ $labels.instance }} doubles within three days',
    goTo: 'what-to-watch',
  },
  {
    name: 'SvcAuditLost',
    expression: 'increase(svc_audit_lost[15m]) > 0',
    severity: 'page',
    summary: 'Entries of the audit of {{ $labels.instance }} could not be stored',
    goTo: 'what-to-watch',
  },
  {
    name: 'SvcAuditUnsealed',
    expression: 'max(svc_audit_unsealed_seconds) > 60',
    holdsFor: '5m',
    severity: 'ticket',
    summary: 'Entries of the audit are not sealed: deleting one would not be found out',
    goTo: 'the-trail-does-not-fit',
  },
  {
    name: 'SvcConfigRefused',
    expression: 'sum(increase(svc_config_reload_total{result="refused"}[15m])) > 0',
    severity: 'ticket',
    summary: 'A wrong configuration was saved; the old one is in force',
    goTo: 'what-to-watch',
  },
  {
    name: 'SvcMessagesRefused',
    expression:
      'sum by (why) (rate(svc_http_refused_total[5m])) > 1 and sum by (why) (rate(svc_http_refused_total[5m])) > 5 * sum by (why) (rate(svc_http_refused_total[1d]))',
    holdsFor: '5m',
    severity: 'ticket',
    summary: 'Somebody tries the door: {{ $labels.why }}',
    goTo: 'load-balancer',
  },
  {
    name: 'SvcLoginsGuessed',
    expression:
      'sum(rate(svc_login_total{result="failed"}[5m])) > 1 or sum(rate(svc_login_refused_total[5m])) > 1',
    holdsFor: '5m',
    severity: 'ticket',
    summary: 'Somebody guesses passwords: {{ $value | humanize }} a second',
    goTo: 'somebody-is-locked-out-or-somebody-guesses',
  },
  {
    name: 'SvcDeliveryOverdue',
    expression: 'max(svc_sync_oldest_seconds) > 300',
    holdsFor: '5m',
    severity: 'ticket',
    summary: 'Deliveries of synchronisation are due, and nobody gets to them',
    goTo: 'what-to-watch',
  },
  {
    name: 'SvcDeliveryDead',
    expression: 'max(svc_sync_dead) > 0',
    holdsFor: '15m',
    severity: 'ticket',
    summary: 'Deliveries of synchronisation were given up',
    goTo: 'what-to-watch',
  },
  {
    name: 'SvcSystemDown',
    expression: 'max by (system) (svc_system_up) == 0',
    holdsFor: '5m',
    severity: 'ticket',
    summary: 'System {{ $labels.system }} does not answer and is not asked',
    goTo: 'what-to-watch',
  },
];
