import { AUTHENTICATION } from './authentication.ts';
import { ENDPOINTS } from './endpoints.ts';
import { ENDPOINTS_OF_GOVERNANCE } from './endpoints-of-governance.ts';
import { ENDPOINTS_OF_READING } from './endpoints-of-reading.ts';
import { ERRORS } from './errors.ts';
import { EVENTS } from './events.ts';
import { LIMITS } from './limits.ts';
import { PURPOSE } from './purpose.ts';
import type { Chapter } from './requirement.ts';
import { RESOURCES } from './resources.ts';
import { STATES_OF_GOVERNANCE } from './states-of-governance.ts';
import { STATES_OF_WORK } from './states-of-work.ts';
import { VERSIONING } from './versioning.ts';

/** The chapters of the interface specification, in its order. */
export const CHAPTERS: readonly Chapter[] = [
  PURPOSE,
  RESOURCES,
  { title: 'States and transitions', sections: [...STATES_OF_WORK, ...STATES_OF_GOVERNANCE] },
  { title: 'Endpoints', sections: [...ENDPOINTS, ...ENDPOINTS_OF_GOVERNANCE, ...ENDPOINTS_OF_READING] },
  AUTHENTICATION,
  EVENTS,
  ERRORS,
  LIMITS,
  VERSIONING,
];
