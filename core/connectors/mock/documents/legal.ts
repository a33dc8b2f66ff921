import { heading, paragraph, table } from '../business-document.ts';
import * as id from '../identifiers.ts';
import { COMPANY, customer, money, person, product, recently, supplier } from '../people.ts';
import type { Template } from './template.ts';

export const supplyAgreement: Template = (r) => ({
  title: `Supply agreement ${supplier(r)}`,
  blocks: [
    paragraph(
      `This agreement is entered into on ${recently(r)} between ${COMPANY} and the supplier. The parties agree as follows.`,
    ),
    heading('Scope and price'),
    paragraph(
      `The supplier delivers components for the ${product(r)} at the prices in annex A, up to an annual volume of EUR ${money(r, 80_000, 900_000)}.`,
    ),
    heading('Warranty, liability and indemnification'),
    paragraph(
      `The warranty period is ${r.pick(['twelve', 'twenty-four', 'thirty-six'])} months. Liability is limited to the contract value, save for wilful misconduct. The supplier indemnifies the buyer against third-party claims.`,
    ),
    heading('Term, termination and governing law'),
    paragraph(
      `The agreement runs for ${r.int(1, 5)} years. Either party may terminate for cause. Governing law is that of ${r.pick(['Germany', 'England and Wales', 'France'])}; place of jurisdiction is ${r.pick(['Bremen', 'London', 'Lyon'])}.`,
    ),
  ],
});

export const contrato: Template = (r) => ({
  title: `Contrato de suministro ${supplier(r)}`,
  blocks: [
    paragraph(
      `En ${r.pick(['Valencia', 'Bilbao'])}, a ${recently(r)}, entre ${COMPANY} y el proveedor, representado por ${person(r).name} con DNI ${id.spanishDni(r)}, se celebra el presente contrato.`,
    ),
    paragraph(
      'Cláusula primera. El proveedor entregará los componentes descritos en el anexo. Cláusula segunda. La responsabilidad se limita al valor del contrato.',
    ),
    paragraph(
      'Cláusula tercera. Las partes se someten a los juzgados y tribunales competentes. Ley aplicable: la española.',
    ),
  ],
});

export const nonDisclosure: Template = (r) => ({
  title: `Non-disclosure agreement ${customer(r)}`,
  blocks: [
    paragraph(
      `This mutual non-disclosure agreement is made on ${recently(r)} between ${COMPANY} and the receiving party, represented by ${person(r).name}.`,
    ),
    paragraph(
      'Confidential information means all information disclosed in writing or orally that is marked confidential or that a reasonable person would treat as such.',
    ),
    paragraph(
      'The receiving party uses the confidential information for the purpose only, protects it with the same care as its own, and returns or destroys it on request.',
    ),
    paragraph(
      `The obligations survive for ${r.int(3, 7)} years after termination. A contractual penalty of EUR ${money(r, 10_000, 100_000)} applies to each breach.`,
    ),
  ],
});

export const litigationMemo: Template = (r) => ({
  title: `Privileged and confidential: litigation memo ${r.int(100, 999)}`,
  blocks: [
    paragraph(
      `Attorney-client privileged. To: general counsel. Matter: ${COMPANY} v. ${customer(r)}, case number ${r.int(10, 99)} O ${r.int(100, 999)}/25.`,
    ),
    paragraph(
      `The claimant alleges defects of the ${product(r)} and seeks damages of EUR ${money(r, 50_000, 700_000)}. The statement of defence is due on ${recently(r)}.`,
    ),
    paragraph(
      `Assessment: the prospects of success are ${r.pick(['good', 'even', 'doubtful'])}. We recommend ${r.pick(['a settlement offer', 'defending the claim', 'an expert opinion before trial'])}. A litigation hold on all related documents is in force.`,
    ),
  ],
});

export const boardMinutes: Template = (r) => ({
  title: `Minutes of the board of directors, ${recently(r)}`,
  blocks: [
    paragraph(
      `Present: ${person(r).name} (chair), ${person(r).name}, ${person(r).name}. A quorum was established.`,
    ),
    paragraph(
      `Resolution 1: the board approves the acquisition of a minority stake in ${supplier(r)} for up to EUR ${money(r, 300_000, 2_000_000)}. Strictly confidential until signing.`,
    ),
    paragraph(
      `Resolution 2: the shareholder resolution on the dividend is prepared. The company secretary ${r.pick(['files', 'circulates'])} the minutes.`,
    ),
  ],
});

export const processingAgreement: Template = (r) => ({
  title: `Data processing agreement ${supplier(r)}`,
  blocks: [
    paragraph(
      'Agreement under Article 28 GDPR between the controller and the processor. Subject matter, duration, nature and purpose of the processing are set out in annex 1.',
    ),
    paragraph(
      `The processor notifies the controller of a personal data breach within ${r.pick(['24', '36', '48'])} hours, keeps a record of processing activities, and engages sub-processors with prior consent only.`,
    ),
    paragraph(
      `Technical and organisational measures: encryption, access control, restoration tests. Data protection officer: ${person(r).email}.`,
    ),
  ],
});

export const subjectAccess: Template = (r) => {
  const subject = person(r, 'mail.example');
  return {
    title: `Response to a subject access request, reference ${r.int(1000, 9999)}`,
    blocks: [
      paragraph(
        `Dear ${subject.name}, you asked for access to your personal data under Article 15 GDPR. We hold: name, address ${subject.street}, ${subject.city}, e-mail ${subject.email}, phone ${id.phoneNumber(r)}, date of birth ${id.birthDate(r)}.`,
      ),
      paragraph(
        'The data are kept for the retention periods in our privacy notice. You have the right to rectification, erasure and complaint to the supervisory authority.',
      ),
    ],
  };
};

export const privacyNotice: Template = (r) => ({
  title: `Public privacy notice, version ${r.int(2, 9)}`,
  blocks: [
    paragraph(
      'We explain which personal data we process when you visit our public website, and on which legal basis.',
    ),
    paragraph('This notice is published. It holds no personal data itself.'),
  ],
});

export const contractRegister: Template = (r) => ({
  title: 'Contract register',
  blocks: [
    table(
      ['Contract', 'Party', 'Signed', 'Ends', 'Value EUR'],
      Array.from({ length: 14 }, () => [
        `C-${r.int(1000, 9999)}`,
        r.pick([supplier(r), customer(r)]),
        recently(r),
        `20${r.int(26, 31)}-12-31`,
        money(r, 20_000, 800_000),
      ]),
    ),
  ],
});

export const counselMail: Template = (r) => ({
  title: `Privileged: advice on ${r.pick(['the warranty claim', 'the patent opposition', 'the works council agreement'])}`,
  blocks: [
    paragraph(
      `Privileged and confidential legal advice. In our opinion the claim against ${customer(r)} becomes time-barred on ${recently(r)}.`,
    ),
    paragraph(
      `Please do not forward. ${person(r, 'chambers.example').name}, outside counsel, ${id.phoneNumber(r)}`,
    ),
  ],
});
