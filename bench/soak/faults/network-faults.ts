import { setTimeout as delay } from 'node:timers/promises';
import type { Weather } from '../../../test/support/tcp-proxy.ts';
import type { Fault } from './fault.ts';

/** Twice the lease. */
const HOLE_MS = 6_000;
const WEATHER_MS = 4_000;

/** Bad weather between one node and the database, for a while. */
function weather(name: string, what: string, boundMs: number, of: Weather, ms: number): Fault {
  return {
    name,
    what,
    boundMs,
    async strike({ nodes }, random) {
      const victim = random.pick(nodes);
      const since = Date.now();
      victim.proxy.setWeather(of);
      const meanwhile = async () => {
        await delay(ms);
        victim.proxy.setWeather();
      };
      return { target: victim.name, since, meanwhile };
    },
  };
}

/** All connections that one node has to the database end at once. */
function end(name: string, what: string, boundMs: number, how: 'reset' | 'forget'): Fault {
  return {
    name,
    what,
    boundMs,
    async strike({ nodes }, random) {
      const victim = random.pick(nodes);
      const since = Date.now();
      victim.proxy.endAll(how);
      return { target: victim.name, since };
    },
  };
}

export const NETWORK_FAULTS: readonly Fault[] = [
  end('reset', 'all connections of one node to the database are reset', 1_000, 'reset'),
  weather(
    'resets',
    '1 % of all packets of one node reset their connection',
    1_000,
    { resetShare: 0.01 },
    WEATHER_MS,
  ),
  weather(
    'delay',
    'everything between one node and the database takes 200 ms longer',
    2_500,
    { delayMs: 100 },
    WEATHER_MS,
  ),
  weather(
    'hole',
    `nothing passes between one node and the database for ${HOLE_MS / 1000} s`,
    3_500,
    { hole: 'both' },
    HOLE_MS,
  ),
  weather(
    'deaf',
    `no answer of the database reaches one node for ${HOLE_MS / 1000} s`,
    3_500,
    { hole: 'toClient' },
    HOLE_MS,
  ),
  weather(
    'mute',
    `nothing that one node says reaches the database for ${HOLE_MS / 1000} s`,
    3_500,
    { hole: 'toServer' },
    HOLE_MS,
  ),
  weather('refused', 'new connections of one node are refused', 1_000, { closed: true }, WEATHER_MS),
  end(
    'half-open',
    'a firewall forgets the connections of one node: they stay open, and nothing passes any more',
    3_500,
    'forget',
  ),
  {
    name: 'commit-lost',
    what: 'the answers to some COMMITs are lost with their connections',
    boundMs: 1_000,
    async strike({ nodes }, random) {
      const victim = random.pick(nodes);
      const since = Date.now();
      const before = victim.proxy.lostCommits;
      victim.proxy.setWeather({ loseCommits: 5 });
      await delay(WEATHER_MS);
      victim.proxy.setWeather();
      return { target: `${victim.name}, ${victim.proxy.lostCommits - before} lost`, since };
    },
  },
];
