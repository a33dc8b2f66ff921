/**
 * One row of a state machine: what leads from a state to the next one. `from` is null where something begins. The
 * diagrams of `docs/states.md` have the same rows.
 */
export type Transition<State extends string, Trigger extends string> = {
  readonly from: State | null;
  readonly trigger: Trigger;
  readonly to: State;
};
