import { type Fault, severalServers } from './fault.ts';

const FREEZE_MS = 25_000;
const OUTAGE_MS = 10_000;
/** Until a schedule is on time again, from when the new primary takes changes. */
const boundMs = 3_000;

/** The ways in which a cluster of servers changes its primary, or whoever stands before it goes away. */
export const PATRONI_FAULTS: readonly Fault[] = [
  {
    name: 'switchover',
    what: 'a standby takes over as planned',
    boundMs,
    strike: async (stage) => ({ target: 'primary', since: await severalServers(stage).switchover() }),
  },
  {
    name: 'primary-killed',
    what: 'kill -9 of the Postgres that is the primary',
    boundMs,
    strike: async (stage) => ({ target: 'primary', since: await severalServers(stage).killPrimary() }),
  },
  {
    name: 'machine-killed',
    what: 'the machine of the primary ends, Patroni with it, and is started again',
    boundMs,
    async strike(stage) {
      const { since, again } = await severalServers(stage).killMachine();
      return { target: 'primary', since, meanwhile: async () => again() };
    },
  },
  {
    name: 'machine-frozen',
    what: `the machine of the primary stands still for ${FREEZE_MS / 1_000} s`,
    boundMs,
    async strike(stage) {
      const { since, awake } = await severalServers(stage).freezeMachine(FREEZE_MS);
      return { target: 'primary', since, meanwhile: () => awake };
    },
  },
  {
    name: 'proxy-killed',
    what: `HAProxy is away for ${OUTAGE_MS / 1_000} s`,
    boundMs,
    async strike(stage) {
      await severalServers(stage).cutProxy(OUTAGE_MS);
      return { target: 'proxy', since: Date.now() };
    },
  },
  {
    name: 'proxy-frozen',
    what: `HAProxy stands still for ${OUTAGE_MS / 1_000} s`,
    boundMs,
    async strike(stage) {
      await severalServers(stage).freezeProxy(OUTAGE_MS);
      return { target: 'proxy', since: Date.now() };
    },
  },
  {
    name: 'standbys-frozen',
    what: `both standbys stand still for ${OUTAGE_MS / 1_000} s, so that commits wait`,
    boundMs,
    async strike(stage) {
      await severalServers(stage).stallReplication(OUTAGE_MS);
      return { target: 'standbys', since: Date.now() };
    },
  },
];

/** What is looked at in less than two minutes. */
export const SHORT_PATRONI: readonly string[] = ['switchover', 'primary-killed', 'proxy-killed'];
