import type { Meter } from './meter.ts';

/** What a planner of questions receives. Nothing else of the tenant reaches it. */
export type PlannerInput = {
  question: string;
  /** The day, as `2026-03-18`. */
  today: string;
  /** Display names that the asker may see, by kind. A plan names them by their `ref`. */
  names: Readonly<Record<string, readonly { ref: string; name: string }[]>>;
};

/** Turns a question into a plan. */
export type QuestionPlanner = {
  /** The name of the model. */
  readonly model: string;
  /**
   * The plan as JSON, which the caller must validate: nothing of it is trusted. Throws `AiError`, and what the meter
   * throws.
   * @param schema the JSON schema of a plan
   */
  plan(input: PlannerInput, schema: object, signal: AbortSignal, meter: Meter): Promise<unknown>;
};
