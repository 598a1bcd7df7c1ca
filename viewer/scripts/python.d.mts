export function python(...args: string[]): Buffer;
