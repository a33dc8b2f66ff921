import type { Detector } from '../detector.ts';
import { birthDate } from './birth-date.ts';
import { healthPlanNumber, icd10Code, medicalRecordNumber } from './health-record.ts';
import { NATIONAL_IDS } from './national-ids.ts';
import {
  deVehicleRegistration,
  trVehicleRegistration,
  ukVehicleRegistration,
  vehicleRegistration,
} from './vehicle-registration.ts';
import { vin } from './vin.ts';

/** Identifiers of persons and their vehicles, birth dates and health records. */
export const IDENTITY: readonly Detector[] = [
  ...NATIONAL_IDS,
  vin,
  ukVehicleRegistration,
  deVehicleRegistration,
  trVehicleRegistration,
  vehicleRegistration,
  birthDate,
  icd10Code,
  medicalRecordNumber,
  healthPlanNumber,
];
