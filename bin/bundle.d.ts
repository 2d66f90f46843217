export function findBundle(): URL | undefined;
export function canBundle(): boolean;
