import type { Meter } from './meter.ts';

/** An approved information type, as the provider sees it. */
export type OpinionType = { ref: string; name: string; definition: string; domain: string };

/** What the provider receives for a second opinion. Nothing else of the asset reaches it. */
export type OpinionInput = {
  /** Parts of the text in which every identifier is masked. */
  excerpts: readonly string[];
  /** The types to choose from. The answer names one by its `ref`. */
  types: readonly OpinionType[];
};

/** Says which of the given information types fits a text. */
export type SecondOpinion = {
  /** The name of the model, stored with each answer. */
  readonly model: string;
  /** The `ref` of one of the types, or null if none fits. Throws `AiError`, and what the meter throws. */
  ask(input: OpinionInput, signal: AbortSignal, meter: Meter): Promise<string | null>;
};

/** The words of a type. */
export const typeText = ({ name, definition, domain }: OpinionType): string =>
  [name, definition, domain].join('\n');
