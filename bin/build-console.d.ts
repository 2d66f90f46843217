/** Builds the console unless there is a build of just these sources; whoever builds already is waited for. */
export function buildConsole(): Promise<void>;
export function canBuildConsole(): boolean;
export function hasConsole(): boolean;
