import type { Detector } from '../detector.ts';
import { organizationName } from './organization-name.ts';
import { personName } from './person-name.ts';
import { placeName } from './place-name.ts';

/** People, places and organizations. */
export const NAMES: readonly Detector[] = [personName, placeName, organizationName];
