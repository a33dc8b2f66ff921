import { AUDIT_CHECKS } from './audit-checks.ts';
import { CERTIFICATE_CHECKS } from './certificate-checks.ts';
import type { Check } from './check.ts';
import { CLOCK_CHECKS } from './clock-checks.ts';
import { CONFIGURATION_CHECKS } from './configuration-checks.ts';
import { DATABASE_CHECKS } from './database-checks.ts';
import { IDENTITY_PROVIDER_CHECKS } from './identity-provider-checks.ts';
import { LICENSE_CHECKS } from './license-checks.ts';
import { PROCESS_CHECKS } from './process-checks.ts';
import { SOURCE_CHECKS } from './source-checks.ts';
import { STORAGE_CHECKS } from './storage-checks.ts';
import { WEBHOOK_CHECKS } from './webhook-checks.ts';

/** All checks, each after those that it needs. */
export const CHECKS: readonly Check[] = [
  ...CONFIGURATION_CHECKS,
  ...PROCESS_CHECKS,
  ...DATABASE_CHECKS,
  ...STORAGE_CHECKS,
  ...IDENTITY_PROVIDER_CHECKS,
  ...CLOCK_CHECKS,
  ...WEBHOOK_CHECKS,
  ...CERTIFICATE_CHECKS,
  ...AUDIT_CHECKS,
  ...LICENSE_CHECKS,
  ...SOURCE_CHECKS,
];
