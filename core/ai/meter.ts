export const AI_TASKS = ['embedding', 'plan', 'second_opinion', 'taxonomy_draft'] as const;
export type AiTask = (typeof AI_TASKS)[number];

export type Tokens = { input: number; output: number };

/** One request to a model, before it is sent. */
export type ModelCall = {
  task: AiTask;
  /** The deployment or model that is asked. */
  model: string;
  /** The most tokens to expect. */
  expected: Tokens;
};

/** The tokens that a request has used. `unknown`: the service may charge for it and does not say how many. */
export type Used = Tokens | 'none' | 'unknown';

/**
 * Admits a request to a model before it is sent. Throws if it must not be sent. The function that it returns is called
 * once, after the request.
 */
export type Meter = (call: ModelCall) => Promise<(used: Used) => Promise<void>>;

/**
 * The tokens of a text, rather too many than too few: English text has about four bytes for each token, text in most
 * other scripts three.
 */
export const expectedTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);
