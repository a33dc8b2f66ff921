import { heading, paragraph, table } from '../business-document.ts';
import * as id from '../identifiers.ts';
import { person, recently, supplier } from '../people.ts';
import type { Random } from '../random.ts';
import type { Template } from './template.ts';

const AREAS = [
  'assembly hall',
  'welding shop',
  'warehouse',
  'calibration laboratory',
  'loading dock',
] as const;
const described = (r: Random) => {
  const [code, name] = id.diagnosis(r);
  return `${name} (ICD-10 ${code})`;
};

export const accidentReport: Template = (r) => ({
  title: `Workplace accident report A-${r.int(100, 999)}`,
  blocks: [
    paragraph(
      `Date of the accident: ${recently(r)}. Place: ${r.pick(AREAS)}. Injured employee: ${person(r).name}, date of birth ${id.birthDate(r)}.`,
    ),
    paragraph(
      `The employee slipped while ${r.pick(['lifting a housing', 'cleaning the press', 'unloading pallets'])}. First aid was given; diagnosis: ${described(r)}. Days lost: ${r.int(1, 30)}.`,
    ),
    paragraph(
      `Witness: ${person(r).name}. Corrective measure: ${r.pick(['anti-slip mats', 'refresher training', 'new guard rail'])}. Reported to the occupational accident insurer.`,
    ),
  ],
});

export const healthInsuranceLetter: Template = (r) => ({
  title: `Mitteilung der Krankenkasse ${r.int(1000, 9999)}`,
  blocks: [
    paragraph(
      `Versicherte Person: ${person(r).name}, geboren am ${id.birthDate(r)}. Arbeitsunfähig vom ${recently(r)} an.`,
    ),
    paragraph(
      `Diagnose: ICD-10 ${id.diagnosis(r)[0]}. Die Krankenkasse zahlt ab der siebten Woche Krankengeld auf das Konto IBAN ${id.iban(r, 'DE')}.`,
    ),
    paragraph(
      'Bitte behandeln Sie die Gesundheitsdaten vertraulich und leiten Sie dieses Schreiben nur an die Personalabteilung weiter.',
    ),
  ],
});

export const sickNote: Template = (r) => ({
  title: `Statement of fitness for work ${person(r).name}`,
  blocks: [
    paragraph(
      `NHS number ${id.nhsNumber(r)}. I assessed the patient on ${recently(r)} because of ${described(r)}.`,
    ),
    paragraph(
      `The patient is not fit for work for ${r.int(3, 28)} days. Treatment: ${r.pick(['physiotherapy', 'rest and medication', 'surgery follow-up'])}. Signed by the treating doctor.`,
    ),
  ],
});

export const occupationalHealth: Template = (r) => ({
  title: `Occupational health examination ${person(r).name}`,
  blocks: [
    paragraph(
      `Examination by the company physician on ${recently(r)}. Medical history: ${described(r)}. Hearing and eyesight tested.`,
    ),
    paragraph(
      `Fit for work with restrictions: no ${r.pick(['night shifts', 'lifting above 15 kg', 'work at heights'])}. The medical record stays with the physician.`,
    ),
  ],
});

export const riskAssessment: Template = (r) => ({
  title: `Risk assessment ${r.pick(AREAS)}`,
  blocks: [
    paragraph(
      'Hazards, likelihood, severity and protective measures for each workplace, reviewed every year by the safety officer.',
    ),
    table(
      ['Hazard', 'Likelihood', 'Severity', 'Measure'],
      Array.from({ length: 9 }, () => [
        r.pick(['Noise', 'Solvent vapour', 'Forklift traffic', 'Hot surface', 'Manual handling']),
        `${r.int(1, 5)}`,
        `${r.int(1, 5)}`,
        r.pick(['Hearing protection', 'Extraction', 'Marked walkways', 'Training']),
      ]),
    ),
  ],
});

export const inspection: Template = (r) => ({
  title: `Safety inspection ${r.pick(AREAS)}, ${recently(r)}`,
  blocks: [
    paragraph(
      `Inspected by ${person(r).name}. Fire extinguishers checked, emergency exits ${r.pick(['clear', 'partly blocked'])}, machine guards in place.`,
    ),
    paragraph(
      `Findings: ${r.int(0, 6)}. Hazardous substances are stored according to the safety data sheets. Next inspection in six months.`,
    ),
  ],
});

export const safetyTraining: Template = (r) => ({
  title: `Safety training ${r.pick(AREAS)}`,
  blocks: [
    heading('Protective equipment'),
    paragraph('Wear safety shoes, gloves and hearing protection in marked areas.'),
    heading('In an emergency'),
    paragraph(`Assembly point ${r.int(1, 4)}. First aiders carry a green badge. Report every near miss.`),
  ],
});

export const vehicleFleet: Template = (r) => ({
  title: 'Vehicle fleet',
  blocks: [
    table(
      ['Vehicle', 'VIN', 'Driver', 'Inspection due'],
      Array.from({ length: 12 }, () => [
        r.pick(['Van', 'Truck', 'Forklift', 'Car']),
        id.vehicleNumber(r),
        person(r).name,
        recently(r),
      ]),
    ),
  ],
});

export const supplierScorecard: Template = (r) => ({
  title: 'Supplier scorecard',
  blocks: [
    paragraph('Delivery reliability, quality and claims per supplier. Internal to purchasing.'),
    table(
      ['Supplier', 'On time', 'Defects ppm', 'Grade'],
      Array.from({ length: 8 }, () => [
        supplier(r),
        `${r.int(70, 100)} %`,
        `${r.int(10, 900)}`,
        r.pick(['A', 'B', 'C']),
      ]),
    ),
  ],
});

export const shiftPlan: Template = (r) => ({
  title: `Shift plan week ${r.int(1, 52)}`,
  blocks: [
    table(
      ['Shift', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
      ['Early', 'Late', 'Night'].map((shift) => [shift, ...Array.from({ length: 5 }, () => person(r).name)]),
    ),
  ],
});
