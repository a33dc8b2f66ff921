import { randomBytes } from 'node:crypto';
import type { KeptLicense } from './licenses.sql.ts';

/** A challenge that is older by the mark proves nothing. Whoever holds an answer back gains this much at most. */
const CHALLENGE_LASTS_MS = 7 * 24 * 3_600_000;

/** 128 random bits, base64url. */
export const newChallenge = (): string => randomBytes(16).toString('base64url');

/** Whether the kept challenge may still be answered. @param mark effective time, in milliseconds */
export const isFresh = ({ challengeAt }: Pick<KeptLicense, 'challengeAt'>, mark: number): boolean =>
  mark - challengeAt < CHALLENGE_LASTS_MS;
