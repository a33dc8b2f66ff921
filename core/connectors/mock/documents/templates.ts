import * as customers from './customers.ts';
import * as engineering from './engineering.ts';
import * as finance from './finance.ts';
import * as general from './general.ts';
import * as healthAndSafety from './health-and-safety.ts';
import * as legal from './legal.ts';
import * as people from './people.ts';
import type { Template } from './template.ts';

/** All kinds of documents of the fixture tenant, by name. */
export const TEMPLATES = {
  ...finance,
  ...people,
  ...legal,
  ...engineering,
  ...customers,
  ...healthAndSafety,
  ...general,
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof TEMPLATES;
