/** What the fixture functions have received. Functions and tests share this module. */
export const recorded = {
  hooks: [] as string[],
  invocations: [] as string[],
  bodyEnds: [] as string[],
  partsMade: 0,
  timers: [] as { name: string; isPastDue: boolean; scheduleStatus: unknown }[],
  messages: [] as { body: unknown; metadata: Record<string, unknown> }[],
};

/** Gates at which fixture functions wait until a test opens them. */
export const gates = new Map<string, PromiseWithResolvers<void>>();

export function gate(name: string): PromiseWithResolvers<void> {
  const existing = gates.get(name) ?? Promise.withResolvers<void>();
  gates.set(name, existing);
  return existing;
}
