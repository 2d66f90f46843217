import { setTimeout as delay } from 'node:timers/promises';
import { BLOCK_MS, BLOCK_SIGNAL } from '../../../test/support/block-event-loop.ts';
import { ask } from '../client.ts';
import type { ClockFault, SoakNode } from '../node.ts';
import { type Fault, pickVictim, type Stage } from './fault.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Twice the lease. */
const HANG_MS = 6_000;

const WRONG_CLOCKS: readonly (readonly [string, ClockFault])[] = [
  ['an hour ahead', { clockOffsetsMs: [HOUR_MS] }],
  ['an hour behind', { clockOffsetsMs: [-HOUR_MS] }],
  ['5 % too fast', { clockOffsetsMs: [0], clockRate: 1.05 }],
  ['5 % too slow', { clockOffsetsMs: [0], clockRate: 0.95 }],
  ['jumps back by ten minutes', { clockOffsetsMs: [0, -10 * MINUTE_MS] }],
];

export const NODE_FAULTS: readonly Fault[] = [
  {
    name: 'kill',
    what: 'kill -9 of one node',
    boundMs: 250,
    async strike(stage, random) {
      const victim = pickVictim(stage, random);
      await delay(random.between(0, 1_000));
      const since = Date.now();
      await victim.kill();
      const downMs = random.between(0, 2_000);
      const meanwhile = () => delay(downMs).then(() => victim.start(victim.clock));
      return { target: victim.name, since, meanwhile };
    },
  },
  {
    name: 'kill-again',
    what: 'kill -9 of one node three times, as soon as it is up',
    boundMs: 250,
    async strike(stage, random) {
      const victim = pickVictim(stage, random);
      for (let n = 0; n < 2; n++) {
        await victim.kill();
        await victim.start();
        await delay(random.between(0, 500));
      }
      const since = Date.now();
      await victim.kill();
      return { target: victim.name, since, meanwhile: () => victim.start() };
    },
  },
  {
    name: 'kill-all',
    what: 'kill -9 of all nodes at once',
    boundMs: 2_000,
    async strike(stage) {
      const victims = stage.nodes.filter((node) => node !== stage.spared);
      await Promise.all(victims.map((node) => node.kill()));
      await Promise.all(victims.map((node) => node.start()));
      return { target: namesOf(victims), since: Date.now() };
    },
  },
  {
    name: 'hang',
    what: `SIGSTOP of one node for ${HANG_MS / 1000} s, then SIGCONT`,
    boundMs: 3_500,
    async strike(stage, random) {
      const victim = pickVictim(stage, random);
      const since = Date.now();
      victim.signal('SIGSTOP');
      const meanwhile = async () => {
        await delay(HANG_MS);
        victim.signal('SIGCONT');
      };
      return { target: victim.name, since, meanwhile };
    },
  },
  {
    name: 'blocked',
    what: `the event loop of one node stands still for ${BLOCK_MS / 1000} s`,
    boundMs: 3_500,
    async strike(stage, random) {
      const victim = random.pick(stage.nodes);
      const since = Date.now();
      victim.signal(BLOCK_SIGNAL);
      return { target: victim.name, since, meanwhile: () => delay(BLOCK_MS) };
    },
  },
  {
    name: 'terminate',
    what: 'SIGTERM of one node, and its start',
    boundMs: 1_000,
    async strike(stage, random) {
      const victim = pickVictim(stage, random);
      const since = Date.now();
      await stop(victim);
      return { target: victim.name, since, meanwhile: () => victim.start() };
    },
  },
  {
    name: 'rolling',
    what: 'SIGTERM of all nodes, one after the other',
    boundMs: 1_000,
    async strike(stage) {
      const victims = stage.nodes.filter((node) => node !== stage.spared);
      const since = Date.now();
      for (const victim of victims) {
        await stop(victim);
        await victim.start();
      }
      return { target: namesOf(victims), since };
    },
  },
  {
    name: 'skew',
    what: 'a node comes back with a clock that is an hour ahead or behind, drifts by 5 %, or jumps back by ten minutes',
    boundMs: 1_000,
    async strike(stage, random) {
      const victim = pickVictim(stage, random);
      await victim.terminate();
      const [name, clock] = random.pick(WRONG_CLOCKS);
      await victim.start(clock);
      if (clock.clockOffsetsMs.length > 1) {
        await delay(2_000);
        victim.jump();
      }
      return { target: `${victim.name} ${name}`, since: Date.now() };
    },
  },
  {
    name: 'stuck-script',
    what: 'a script that no deadline can interrupt, on one node',
    boundMs: 1_000,
    async strike(stage, random) {
      const victim = random.pick(stage.nodes);
      const since = Date.now();
      const meanwhile = async () => {
        if (victim.url === undefined) return;
        await ask(victim.url, 'POST', 'script?_action=eval', {
          type: 'text/javascript',
          source: 'for (;;) { var n = new Array(1e9).join("x").length; }',
          timeout: 500,
        });
      };
      return { target: victim.name, since, meanwhile };
    },
  },
];

async function stop(victim: SoakNode): Promise<void> {
  const ended = await victim.terminate();
  if (ended !== 0) victim.unexpectedEnds.push({ node: victim.name, at: Date.now(), how: ended });
}

function namesOf(nodes: Stage['nodes']): string {
  return nodes.map(({ name }) => name).join(' ');
}
