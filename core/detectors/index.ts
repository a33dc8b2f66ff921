import { bic } from './bic.ts';
import { birthDate } from './birth-date.ts';
import { deTaxId } from './de-tax-id.ts';
import type { Detector } from './detector.ts';
import { emailAddress } from './email-address.ts';
import { esDni, esNie } from './es-identity.ts';
import { frNir } from './fr-nir.ts';
import { icd10Code, medicalRecordNumber } from './health-record.ts';
import { iban } from './iban.ts';
import { ipv4Address, ipv6Address } from './ip-address.ts';
import { itFiscalCode } from './it-fiscal-code.ts';
import { passportNumber } from './passport.ts';
import { paymentCard } from './payment-card.ts';
import { phoneNumber } from './phone-number.ts';
import { plPesel } from './pl-pesel.ts';
import { salaryAmount } from './salary.ts';
import { assignedSecret, connectionPassword, issuedKey, jsonWebToken, privateKey } from './secrets.ts';
import { ukNhs, ukNino } from './uk-identity.ts';
import { usSsn } from './us-ssn.ts';
import { vin } from './vin.ts';

/** Every detector, in the order in which their signals are kept. */
export const DETECTORS: readonly Detector[] = [
  paymentCard,
  iban,
  bic,
  usSsn,
  deTaxId,
  frNir,
  esDni,
  esNie,
  itFiscalCode,
  plPesel,
  ukNino,
  ukNhs,
  emailAddress,
  phoneNumber,
  ipv4Address,
  ipv6Address,
  vin,
  birthDate,
  privateKey,
  jsonWebToken,
  issuedKey,
  assignedSecret,
  connectionPassword,
  icd10Code,
  medicalRecordNumber,
  passportNumber,
  salaryAmount,
];

/** Part of the stage-cache key: changes when any detector does. */
export const DETECTORS_VERSION = DETECTORS.map(({ id, version }) => `${id}:${version}`).join(',');
