import { type ConfigStore, type Objection, scheduleConfig } from '#config/index.ts';
import { BadRequestError } from '#errors/index.ts';
import { asJson, type JsonValue } from '#json/index.ts';
import { FIELD_SCRIPT, inspectPlaces, type ScriptInspector, type ScriptPlace } from '#script/index.ts';
import { type OfferedService, shortServiceName } from './scheduled-service.ts';

/** A configuration as features look at it: at the start, with each change, and when `svc config-check` asks. */
export interface Inspection {
  readonly config: ConfigStore;
  readonly scripts: ScriptInspector;
  readonly projectLocation: string;
  /** The services that schedules can invoke; each feature adds its own. */
  readonly services: OfferedService[];
}

/** An endpoint or an action of the field that cannot be here is a 501, and keeps nothing else from working. */
export function asField(fault: Objection): Objection {
  return fault.id === FIELD_SCRIPT ? { ...fault, isWarning: true } : fault;
}

/** Whether a schedule is disabled: of such a one nothing is more than a warning. */
export function isOff({ enabled }: { readonly enabled: unknown }): boolean {
  return String(enabled) === 'false';
}

/** What a service says of the schedules that invoke it. */
export function checkService(
  { config, scripts, services }: Inspection,
  service: {
    /** Its short name. */
    readonly name: string;
    /** @throws BadRequestError for a schedule that could never run */
    readonly check: (invokeContext: JsonValue) => void;
    readonly scripts: (schedule: JsonValue) => readonly ScriptPlace[];
  },
): void {
  services.push({ invokeService: service.name });
  const isInvoked = ({ invokeService }: { readonly invokeService: unknown }) =>
    shortServiceName(String(invokeService)) === service.name;
  config.addCheck(scheduleConfig, async (value) => {
    if (!isInvoked(value)) return [];
    const json = asJson(value);
    const faults = await inspectPlaces(scripts, service.scripts(json));
    return isOff(value) ? faults.map((fault) => ({ ...fault, isWarning: true })) : faults;
  });
  config.addCheck(scheduleConfig, (value) => {
    if (!isInvoked(value)) return [];
    try {
      service.check(value.invokeContext);
      return [];
    } catch (error) {
      if (!isOff(value) || !(error instanceof BadRequestError)) throw error;
      return [{ id: 'SCHED_INVALID', field: '', message: error.message, isWarning: true }];
    }
  });
}
