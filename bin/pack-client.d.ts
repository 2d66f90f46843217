export function packClient(folder: string): string;
