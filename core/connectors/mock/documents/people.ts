import { heading, paragraph, table } from '../business-document.ts';
import * as id from '../identifiers.ts';
import { COMPANY, money, person, recently } from '../people.ts';
import type { Template } from './template.ts';

const ROLES = [
  'test engineer',
  'account manager',
  'buyer',
  'production planner',
  'controller',
  'service technician',
] as const;
const ROLLEN = [
  'Prüfingenieur',
  'Vertriebsbeauftragter',
  'Einkäufer',
  'Fertigungsplaner',
  'Controller',
] as const;

export const employmentContract: Template = (r) => {
  const employee = person(r);
  return {
    title: `Employment contract ${employee.name}`,
    blocks: [
      paragraph(
        `This employment contract is made between ${COMPANY} (the employer) and ${employee.name}, ${employee.street}, ${employee.city} (the employee), date of birth ${id.birthDate(r)}, national insurance number ${id.nationalInsuranceNumber(r)}.`,
      ),
      heading('1 Position and start'),
      paragraph(
        `The employee is engaged as ${r.pick(ROLES)} from ${recently(r)}. The probation period is six months, during which either side may give two weeks' notice.`,
      ),
      heading('2 Remuneration'),
      paragraph(
        `The annual gross salary is EUR ${money(r, 38000, 96000)}, paid in twelve instalments to IBAN ${id.iban(r, 'GB')}.`,
      ),
      heading('3 Working time and leave'),
      paragraph(
        'Weekly working time is 38 hours. The employee is entitled to 28 days of paid annual leave in each calendar year.',
      ),
      heading('4 Confidentiality'),
      paragraph(
        'The employee keeps trade secrets of the employer confidential, during the employment and after its end.',
      ),
      paragraph('Signed in duplicate by the employer and the employee.'),
    ],
  };
};

export const arbeitsvertrag: Template = (r) => {
  const employee = person(r);
  return {
    title: `Arbeitsvertrag ${employee.name}`,
    blocks: [
      paragraph(
        `Zwischen ${COMPANY} (Arbeitgeber) und ${employee.name}, ${employee.street}, ${employee.city}, geboren am ${id.birthDate(r)}, Steuer-Identifikationsnummer ${id.germanTaxId(r)}, wird folgender Arbeitsvertrag geschlossen.`,
      ),
      heading('§ 1 Tätigkeit'),
      paragraph(
        `Der Arbeitnehmer wird ab ${recently(r)} als ${r.pick(ROLLEN)} eingestellt. Die Probezeit beträgt sechs Monate.`,
      ),
      heading('§ 2 Vergütung'),
      paragraph(
        `Das Bruttogehalt beträgt monatlich ${money(r, 3200, 7400)} EUR und wird auf das Konto IBAN ${id.iban(r, 'DE')} überwiesen.`,
      ),
      heading('§ 3 Urlaub und Kündigung'),
      paragraph('Der Jahresurlaub beträgt 30 Arbeitstage. Es gelten die gesetzlichen Kündigungsfristen.'),
    ],
  };
};

export const payroll: Template = (r) => ({
  title: `Payroll run ${recently(r).slice(0, 7)}`,
  blocks: [
    paragraph(
      'Monthly payroll: gross salary, tax identification number, social security and net pay per employee.',
    ),
    table(
      ['Employee', 'Tax ID', 'Gross salary EUR', 'Income tax EUR', 'Net pay EUR', 'IBAN'],
      Array.from({ length: 16 }, () => [
        person(r).name,
        id.germanTaxId(r),
        money(r, 3000, 8200),
        money(r, 500, 2100),
        money(r, 2000, 5200),
        id.iban(r, 'DE'),
      ]),
    ),
  ],
});

export const salaryReview: Template = (r) => ({
  title: 'Salary review and bonus proposal',
  blocks: [
    paragraph(
      'Annual compensation round. Proposals are confidential between the manager and human resources.',
    ),
    table(
      ['Employee', 'Current salary', 'Proposed salary', 'Bonus'],
      Array.from({ length: 9 }, () => [
        person(r).name,
        `EUR ${money(r, 40000, 90000)}`,
        `EUR ${money(r, 42000, 96000)}`,
        `${r.int(2, 15)} %`,
      ]),
    ),
    paragraph(
      'Salary bands follow the pay policy; exceptions need the approval of the head of human resources.',
    ),
  ],
});

export const curriculumVitae: Template = (r) => {
  const applicant = person(r, 'mail.example');
  return {
    title: `Curriculum vitae ${applicant.name}`,
    blocks: [
      paragraph(
        `${applicant.street}, ${applicant.city}. E-mail ${applicant.email}, phone ${id.phoneNumber(r)}, date of birth ${id.birthDate(r)}.`,
      ),
      heading('Work experience'),
      paragraph(
        `${r.int(2016, 2024)} to today: ${r.pick(ROLES)} in a medium-sized company. Led a team of ${r.int(2, 12)} and introduced new planning methods.`,
      ),
      paragraph(`${r.int(2008, 2015)}: ${r.pick(ROLES)}, responsible for reporting and supplier audits.`),
      heading('Education and skills'),
      paragraph(
        'Degree in engineering. Languages: English, German. Skills: statistics, project management, presentation.',
      ),
      heading('Application'),
      paragraph('I am applying for the advertised vacancy and can start after three months of notice.'),
    ],
  };
};

export const lettreDeMotivation: Template = (r) => {
  const applicant = person(r, 'courriel.example');
  return {
    title: `Candidature de ${applicant.name}`,
    blocks: [
      paragraph(
        `${applicant.street}, ${applicant.city}. Courriel ${applicant.email}, téléphone ${id.phoneNumber(r, 'fr')}. Numéro de sécurité sociale ${id.frenchSocialSecurity(r)}.`,
      ),
      paragraph(
        'Madame, Monsieur, je vous adresse ma candidature au poste publié sur votre site. Mon expérience professionnelle et mes compétences en gestion correspondent au profil recherché.',
      ),
      paragraph(
        'Je reste à votre disposition pour un entretien d’embauche et vous prie d’agréer mes salutations distinguées.',
      ),
    ],
  };
};

export const performanceReview: Template = (r) => ({
  title: `Performance review ${person(r).name}`,
  blocks: [
    heading('Appraisal'),
    paragraph(
      `Overall rating: ${r.pick(['meets expectations', 'exceeds expectations', 'needs improvement'])}. Reviewed by ${person(r).name} on ${recently(r)}.`,
    ),
    heading('Objectives'),
    paragraph(
      `Objectives agreed for next year: ${r.pick(['shorten lead times', 'train two colleagues', 'lead the audit project'])}. Feedback from colleagues was discussed in the annual appraisal interview.`,
    ),
    heading('Development plan'),
    paragraph(
      `Training in ${r.pick(['negotiation', 'data analysis', 'leadership'])} is recommended. Career development is reviewed in six months.`,
    ),
  ],
});

export const benefits: Template = (r) => ({
  title: 'Benefits enrolment',
  blocks: [
    table(
      ['Employee', 'E-mail', 'Date of birth', 'National insurance', 'Pension plan'],
      Array.from({ length: 14 }, () => {
        const employee = person(r);
        return [
          employee.name,
          employee.email,
          id.birthDate(r),
          id.nationalInsuranceNumber(r),
          r.pick(['Standard', 'Plus']),
        ];
      }),
    ),
  ],
});

export const usRelocation: Template = (r) => {
  const employee = person(r);
  return {
    title: `Relocation file ${employee.name}`,
    blocks: [
      paragraph(
        `Secondment to the Chicago office from ${recently(r)}. Social security number ${id.socialSecurityNumber(r)}, passport number ${id.passportNumber(r)}.`,
      ),
      paragraph(
        `Relocation allowance of USD ${money(r, 6000, 14000)}. Visa application and tax equalisation are handled by human resources.`,
      ),
      paragraph(`Emergency contact: ${person(r, 'mail.example').name}, ${id.phoneNumber(r)}.`),
    ],
  };
};

export const onboardingChecklist: Template = (r) => ({
  title: 'Onboarding checklist for new colleagues',
  blocks: [
    paragraph(
      'Welcome! Your first week: collect your badge at reception, meet your team, read the employee handbook.',
    ),
    paragraph(
      `Your buddy shows you around the canteen on ${r.pick(['Monday', 'Tuesday'])}. No personal data belongs on this page.`,
    ),
  ],
});
