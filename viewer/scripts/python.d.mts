export function python(...args: string[]): Buffer;
export function printed(output: string, ...args: string[]): Promise<void>;
