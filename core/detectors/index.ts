import { addressPassword, assignedSecret, connectionPassword } from './assigned-secret.ts';
import { azureCredential } from './azure-credential.ts';
import { auBankAccount, bankAccountNumber, ukBankAccount, usRoutingNumber } from './bank-account.ts';
import { bic } from './bic.ts';
import { birthDate } from './birth-date.ts';
import { cardVerification } from './card-verification.ts';
import { bitcoinAddress, ethereumAddress } from './crypto-address.ts';
import { ENGINE_VERSION } from './detect.ts';
import type { Detector } from './detector.ts';
import { emailAddress } from './email-address.ts';
import { geoCoordinates } from './geo-coordinates.ts';
import { healthPlanNumber, icd10Code, medicalRecordNumber } from './health-record.ts';
import { iban } from './iban.ts';
import { imei } from './imei.ts';
import { ipv4Address, ipv6Address } from './ip-address.ts';
import { issuedKey, webhookAddress } from './issued-key.ts';
import { macAddress } from './mac-address.ts';
import { organizationName } from './names/organization-name.ts';
import { personName } from './names/person-name.ts';
import { placeName } from './names/place-name.ts';
import { NATIONAL_IDS } from './national-ids.ts';
import { passwordColumn } from './password-column.ts';
import { paymentCard } from './payment-card.ts';
import { phoneNumber } from './phone-number.ts';
import { dePostcode, ukPostcode } from './post-code.ts';
import { privateKey } from './private-key.ts';
import { salaryAmount } from './salary.ts';
import { streetAddress } from './street-address.ts';
import {
  deVehicleRegistration,
  trVehicleRegistration,
  ukVehicleRegistration,
  vehicleRegistration,
} from './vehicle-registration.ts';
import { vin } from './vin.ts';
import { webAddress } from './web-address.ts';
import { authorizationHeader, jsonWebToken } from './web-token.ts';

/** Every detector, in the order in which their signals are kept. */
export const DETECTORS: readonly Detector[] = [
  paymentCard,
  cardVerification,
  iban,
  bic,
  usRoutingNumber,
  ukBankAccount,
  auBankAccount,
  bankAccountNumber,
  bitcoinAddress,
  ethereumAddress,
  ...NATIONAL_IDS,
  emailAddress,
  phoneNumber,
  ipv4Address,
  ipv6Address,
  macAddress,
  imei,
  webAddress,
  geoCoordinates,
  vin,
  ukVehicleRegistration,
  deVehicleRegistration,
  trVehicleRegistration,
  vehicleRegistration,
  birthDate,
  privateKey,
  jsonWebToken,
  issuedKey,
  webhookAddress,
  azureCredential,
  assignedSecret,
  connectionPassword,
  passwordColumn,
  addressPassword,
  authorizationHeader,
  icd10Code,
  medicalRecordNumber,
  healthPlanNumber,
  salaryAmount,
  personName,
  streetAddress,
  placeName,
  ukPostcode,
  dePostcode,
  organizationName,
];

/** Part of the stage-cache key: changes when any detector does, or what is made of all they find. */
export const DETECTORS_VERSION = [
  `engine:${ENGINE_VERSION}`,
  ...DETECTORS.map(({ id, version }) => `${id}:${version}`),
].join(',');
