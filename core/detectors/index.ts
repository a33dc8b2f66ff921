import { CONTACT } from './contact/index.ts';
import type { Detector } from './detector.ts';
import { ENGINE_VERSION } from './engine/detect.ts';
import { FINANCE } from './finance/index.ts';
import { IDENTITY } from './identity/index.ts';
import { NAMES } from './names/index.ts';
import { NETWORK } from './network/index.ts';
import { SECRETS } from './secrets/index.ts';

/** All built-in detectors. Signals are stored in this order. */
export const DETECTORS: readonly Detector[] = [
  ...FINANCE,
  ...IDENTITY,
  ...CONTACT,
  ...NETWORK,
  ...SECRETS,
  ...NAMES,
];

/** Part of the stage-cache key. Changes when a detector or the engine changes, but not when the order does. */
export const DETECTORS_VERSION = [
  `engine:${ENGINE_VERSION}`,
  ...DETECTORS.map(({ id, version }) => `${id}:${version}`).sort(),
].join(',');
