import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const icd10Code = defineDetector({
  id: 'icd10_code',
  version: 2,
  family: 'health',
  title: 'Diagnosis code (ICD-10)',
  gate: { kind: 'digits', least: 2, reach: 12 },
  // U is the chapter of new diseases and of resistance. Small letters need the dot, and `v` is left out because it
  // marks versions.
  patterns: [
    {
      regex: token('[A-TV-Z]\\d[0-9AB](?:\\.[0-9A-Z]{1,4})?|U[0-9]\\d(?:\\.\\d{1,2})?'),
      context: 'required',
    },
    { regex: token('[a-uw-z]\\d[0-9ab]\\.[0-9a-z]{1,4}'), context: 'required' },
  ],
  context: [
    ...['icd', 'icd 10', 'icd10', 'diagnosis', 'diagnoses', 'diagnosed', 'diagnosis code', 'dx', 'diagnose'],
    ...[
      'diagnosen',
      'befund',
      'diagnostic',
      'diagnostico',
      'diagnosi',
      'diagnoza',
      'rozpoznanie',
      'cie 10',
      'cid 10',
    ],
  ],
  confidence: { context: 0.8 },
  examples: {
    hits: [
      'Diagnosis: E11.9',
      'ICD-10 F32.1',
      'Diagnose J45',
      'diagnosis U07.1',
      'icd e11.9',
      'patient,dx\n17,I10',
    ],
    misses: [
      'E11.9',
      'misdiagnosing E11.9',
      'diagnosis AE11.9',
      'Diagnosis in room 112',
      'U07.1',
      'diagnosis e11',
      'diagnostic tool v10.2',
    ],
  },
});

export const medicalRecordNumber = defineDetector({
  id: 'medical_record_number',
  version: 1,
  family: 'health',
  title: 'Medical record number',
  gate: { kind: 'digits', least: 5, reach: 20 },
  patterns: [{ regex: token('(?:[A-Z]{1,3}-?)?\\d{6,10}'), context: 'required' }],
  context: [
    ...['mrn', 'medical record', 'medical record number', 'patient id', 'patient number', 'patient no'],
    ...['patientennummer', 'patienten id', 'fallnummer', 'numero de patient', 'dossier medical'],
    ...[
      'historia clinica',
      'numero paciente',
      'cartella clinica',
      'prontuario',
      'patientnummer',
      'numer pacjenta',
    ],
  ],
  confidence: { context: 0.75 },
  examples: {
    hits: ['MRN: 00482913', 'Patientennummer 4829137', 'Patient ID AB-482913'],
    misses: ['482913', 'patience id 482913', 'MRN 48', 'MRN 482913.5'],
  },
});

export const healthPlanNumber = defineDetector({
  id: 'health_plan_number',
  version: 1,
  family: 'health',
  title: 'Health plan member number',
  gate: { kind: 'digits', least: 6, reach: 20 },
  patterns: [{ regex: token('(?:[A-Z]{1,4}-?)?\\d{6,12}(?:-\\d{1,3})?'), context: 'required' }],
  context: [
    ...['member id', 'subscriber id', 'insurance id', 'health plan', 'health insurance number'],
    ...[
      'health card',
      'health card number',
      'policy holder id',
      'krankenversicherungsnummer',
      'versichertennummer',
    ],
    ...['numero d assure', 'numero de mutuelle', 'tarjeta sanitaria', 'numero de tarjeta sanitaria'],
    ...['tessera sanitaria', 'numero de utente', 'cartao de saude', 'zorgpas', 'polisnummer'],
  ],
  confidence: { context: 0.7 },
  examples: {
    hits: ['Member ID: XGH482913746', 'numéro d’assuré 48291374', 'Health card number 4829137465-01'],
    misses: ['XGH482913746', 'member id 48291', 'remember id 48291374', 'Member ID 482913.7465'],
  },
});
