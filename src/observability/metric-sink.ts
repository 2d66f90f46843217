import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observation, Observe } from './observation.ts';

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

export interface Metrics {
  readonly observe: Observe;
  /** Reads a figure at scrape time, such as the number of pooled connections. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The text of `/metrics`, in Prometheus' format. */
  render(): Promise<string>;
  readonly contentType: string;
}

/** Counts observations. Label values are bounded: names of schedules and scripts yes, ids never. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const http = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time to answer an HTTP request',
    labelNames: ['method', 'status'],
    buckets: SECONDS,
    registers,
  });
  const fired = new Counter({
    name: 'svc_trigger_fired_total',
    help: 'Runs that ended, by schedule and outcome',
    labelNames: ['schedule', 'outcome'],
    registers,
  });
  const lateness = new Histogram({
    name: 'svc_trigger_lateness_seconds',
    help: 'Time from the planned to the actual start of a run',
    buckets: SECONDS,
    registers,
  });
  const script = new Histogram({
    name: 'svc_script_duration_seconds',
    help: 'Time a script took, by outcome',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const jobs = new Histogram({
    name: 'svc_job_duration_seconds',
    help: 'Time a job of a queue took, by how it ended',
    labelNames: ['queue', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const scanned = new Counter({
    name: 'svc_scan_objects_total',
    help: 'Objects of scans that ended, by outcome',
    labelNames: ['scan', 'outcome'],
    registers,
  });
  const loops = new Counter({
    name: 'svc_loop_failures_total',
    help: 'Failed rounds of a background loop',
    labelNames: ['loop'],
    registers,
  });
  const reloads = new Counter({
    name: 'svc_config_reload_total',
    help: 'Configuration changes, by result',
    labelNames: ['result'],
    registers,
  });
  const recovered = new Counter({
    name: 'svc_node_lost_total',
    help: 'Nodes that this node found dead and recovered',
    registers,
  });
  const logins = new Counter({
    name: 'svc_login_total',
    help: 'Logins with credentials, by result',
    labelNames: ['result'],
    registers,
  });
  const refusedLogins = new Counter({
    name: 'svc_login_refused_total',
    help: 'Logins that were not compared: AUTH_THROTTLED after too many failures, AUTH_BUSY while too many wait',
    labelNames: ['why'],
    registers,
  });
  const refusedMessages = new Counter({
    name: 'svc_http_refused_total',
    help: 'Messages that were turned away at the door: unsound, too slow, or too many (HTTP_RATE_LIMIT)',
    labelNames: ['why'],
    registers,
  });
  const listening = new Gauge({
    name: 'svc_listen_connected',
    help: '1 while wake-ups arrive, 0 while only polling',
    registers,
  });

  function observe(said: Observation): void {
    switch (said.kind) {
      case 'http.answered':
        http.observe({ method: said.method, status: said.status }, said.ms / 1000);
        break;
      case 'trigger.fired':
        lateness.observe(Math.max(0, said.lateMs) / 1000);
        break;
      case 'trigger.completed':
        fired.inc({ schedule: said.schedule, outcome: 'fired' });
        break;
      case 'trigger.failed':
        fired.inc({ schedule: said.schedule, outcome: 'failed' });
        break;
      case 'trigger.misfired':
        fired.inc({ schedule: said.schedule, outcome: 'misfired' });
        break;
      case 'trigger.parked':
        fired.inc({ schedule: said.schedule, outcome: 'parked' });
        break;
      case 'trigger.fencedOut':
        fired.inc({ schedule: said.schedule, outcome: 'fencedOut' });
        break;
      case 'script.evaluated':
        script.observe({ outcome: said.outcome }, said.ms / 1000);
        break;
      case 'job.completed':
        jobs.observe({ queue: said.queue, outcome: 'completed' }, said.ms / 1000);
        break;
      case 'job.failed':
        jobs.observe({ queue: said.queue, outcome: said.dead ? 'dead' : 'retrying' }, said.ms / 1000);
        break;
      case 'scan.ended':
        for (const outcome of ['successes', 'failures', 'skipped'] as const) {
          scanned.inc({ scan: said.scan, outcome }, said[outcome]);
        }
        break;
      case 'loop.failed':
        loops.inc({ loop: said.loop });
        break;
      case 'login.attempted':
        logins.inc({ result: said.result.toLowerCase() });
        break;
      case 'http.refused':
        refusedMessages.inc({ why: said.why });
        break;
      case 'login.refused':
        refusedLogins.inc({ why: said.why });
        break;
      case 'login.denied':
        refusedLogins.inc({ why: said.how === 'failed' ? 'AUTH_SCRIPT_FAILED' : 'AUTH_SCRIPT_REFUSED' });
        break;
      case 'config.changed':
        reloads.inc({ result: 'ok' });
        break;
      case 'config.refused':
        reloads.inc({ result: 'refused' });
        break;
      case 'node.lost':
        recovered.inc();
        break;
      case 'listen.connected':
        listening.set(1);
        break;
      case 'listen.lost':
        listening.set(0);
        break;
    }
  }

  return {
    observe,
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
