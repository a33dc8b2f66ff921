/** What the fixture functions saw: they and the tests share this module. */
export const recorded = {
  hooks: [] as string[],
  invocations: [] as string[],
  bodyEnds: [] as string[],
  partsMade: 0,
  timers: [] as { name: string; isPastDue: boolean; scheduleStatus: unknown }[],
  messages: [] as { body: unknown; metadata: Record<string, unknown> }[],
};

/** Gates that a test opens to let a fixture function go on. */
export const gates = new Map<string, PromiseWithResolvers<void>>();

export function gate(name: string): PromiseWithResolvers<void> {
  const existing = gates.get(name) ?? Promise.withResolvers<void>();
  gates.set(name, existing);
  return existing;
}
