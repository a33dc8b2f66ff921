import { heading, paragraph, table } from '../business-document.ts';
import * as id from '../identifiers.ts';
import { COMPANY, customer, money, person, product, recently } from '../people.ts';
import type { Template } from './template.ts';

export const priceList: Template = (r) => ({
  title: `Price list with discount tiers, ${recently(r).slice(0, 7)}`,
  blocks: [
    paragraph(
      'Internal: list prices, floor prices and discounts for account managers. Do not hand to customers.',
    ),
    table(
      ['Article', 'List price EUR', 'Floor price EUR', 'Dealer discount'],
      Array.from({ length: 10 }, () => [
        product(r),
        money(r, 90, 2400),
        money(r, 60, 1500),
        `${r.int(5, 35)} %`,
      ]),
    ),
  ],
});

export const quote: Template = (r) => {
  const contact = person(r, 'customer.example');
  return {
    title: `Quotation Q-${r.int(10000, 99999)} for ${customer(r)}`,
    blocks: [
      paragraph(
        `Dear ${contact.name}, thank you for your enquiry. We are pleased to offer the following, valid for 60 days.`,
      ),
      table(
        ['Item', 'Quantity', 'Unit price EUR'],
        Array.from({ length: 4 }, () => [product(r), `${r.int(1, 60)}`, money(r, 90, 2100)]),
      ),
      paragraph(
        `Delivery in ${r.int(2, 9)} weeks. Special discount of ${r.int(3, 18)} percent, not to be disclosed to third parties. Contact: ${contact.email}, ${id.phoneNumber(r)}.`,
      ),
    ],
  };
};

export const customerList: Template = (r) => ({
  title: 'Customer contacts',
  blocks: [
    table(
      ['Customer', 'Contact', 'E-mail', 'Phone', 'Segment'],
      Array.from({ length: 24 }, () => {
        const contact = person(r, 'customer.example');
        return [
          customer(r),
          contact.name,
          contact.email,
          id.phoneNumber(r, r.pick(['en', 'de', 'fr', 'es'])),
          r.pick(['A', 'B', 'C']),
        ];
      }),
    ),
  ],
});

export const pipeline: Template = (r) => ({
  title: 'Sales pipeline and forecast by account',
  blocks: [
    table(
      ['Account', 'Opportunity', 'Stage', 'Probability', 'Value EUR'],
      Array.from({ length: 14 }, () => [
        customer(r),
        product(r),
        r.pick(['lead', 'qualified', 'proposal', 'negotiation']),
        `${r.int(1, 9)}0 %`,
        money(r, 5000, 400_000),
      ]),
    ),
    paragraph('Confidential sales forecast: win probability and account strategy per opportunity.'),
  ],
});

export const proposal: Template = (r) => ({
  title: `Proposal for ${customer(r)}`,
  blocks: [
    heading('Your challenge'),
    paragraph(`Unplanned downtime costs you about EUR ${money(r, 20_000, 300_000)} a year.`),
    heading('Our solution'),
    paragraph(
      `The ${product(r)} watches every critical point and warns before failure. Pilot in ${r.int(4, 10)} weeks.`,
    ),
    heading('Commercial terms'),
    paragraph(`Frame contract over ${r.int(2, 4)} years with a volume discount of ${r.int(4, 20)} percent.`),
  ],
});

export const brochure: Template = (r) => ({
  title: `${product(r)}: measure what matters`,
  blocks: [
    paragraph(
      `Robust, precise, ready in minutes. Engineers in ${r.int(12, 40)} countries rely on our sensors every day.`,
    ),
    paragraph(
      'Visit us at the trade fair and take a look at the new generation. For press use; free to share.',
    ),
  ],
});

export const werbetext: Template = (r) => ({
  title: `${product(r)}: genau gemessen`,
  blocks: [
    paragraph(
      'Robust, präzise und in wenigen Minuten einsatzbereit. Besuchen Sie uns auf der Messe und erleben Sie die neue Generation.',
    ),
    paragraph(
      `Seit ${r.int(1958, 1999)} vertrauen Fachleute auf unsere Messtechnik. Freigegeben für Presse und Öffentlichkeit.`,
    ),
  ],
});

export const argumentaire: Template = (r) => ({
  title: `${product(r)} : la mesure juste`,
  blocks: [
    paragraph(
      'Robuste, précis et prêt en quelques minutes. Rencontrez-nous au salon et découvrez la nouvelle génération de capteurs.',
    ),
    paragraph(`Déjà ${r.int(200, 900)} entreprises nous font confiance. Texte libre de diffusion.`),
  ],
});

export const cardAuthorisation: Template = (r) => ({
  title: `Credit card authorisation ${customer(r)}`,
  blocks: [
    paragraph(`I authorise ${COMPANY} to charge my credit card for the order dated ${recently(r)}.`),
    paragraph(
      `Card number ${id.cardNumber(r)}, expiry 1${r.int(0, 2)}/27, cardholder ${person(r, 'customer.example').name}. Amount EUR ${money(r, 200, 4000)}.`,
    ),
  ],
});

export const ticketExport: Template = (r) => ({
  title: 'Support tickets',
  blocks: [
    table(
      ['Ticket', 'Opened', 'Customer e-mail', 'Phone', 'Issue'],
      Array.from({ length: 22 }, () => [
        `T-${r.int(100000, 999999)}`,
        recently(r),
        person(r, 'customer.example').email,
        id.phoneNumber(r),
        r.pick(['No reading', 'Late delivery', 'Wrong invoice', 'Firmware update fails', 'Refund']),
      ]),
    ),
  ],
});

export const complaint: Template = (r) => {
  const writer = person(r, 'mail.example');
  return {
    title: `Complaint about order ${r.int(100000, 999999)}`,
    blocks: [
      paragraph(`${writer.name}, ${writer.street}, ${writer.city}, ${writer.email}`),
      paragraph(
        `Dear customer service, the ${product(r)} that I ordered on ${recently(r)} arrived ${r.pick(['damaged', 'late', 'without its certificate'])}. I have called ${r.int(2, 6)} times.`,
      ),
      paragraph(
        `I expect a replacement or a refund to my card ending in ${r.int(1000, 9999)} within two weeks. You reach me on ${id.phoneNumber(r)}.`,
      ),
    ],
  };
};

export const reclamacion: Template = (r) => {
  const writer = person(r, 'correo.example');
  return {
    title: `Reclamación del pedido ${r.int(100000, 999999)}`,
    blocks: [
      paragraph(
        `${writer.name}, DNI ${id.spanishDni(r)}, ${writer.email}, teléfono ${id.phoneNumber(r, 'es')}.`,
      ),
      paragraph(
        `Estimado servicio de atención al cliente: el ${product(r)} llegó dañado. Solicito la sustitución o la devolución del importe.`,
      ),
    ],
  };
};

export const callTranscript: Template = (r) => {
  const caller = person(r, 'customer.example');
  return {
    title: `Call transcript ${r.int(10000, 99999)}`,
    blocks: [
      paragraph(
        `Agent: Thank you for calling ${COMPANY} customer care. May I have your name?\nCaller: ${caller.name}, my e-mail is ${caller.email}.`,
      ),
      paragraph(
        `Agent: And a number for the call back?\nCaller: ${id.phoneNumber(r)}. My ${product(r)} shows no reading since the update.\nAgent: I am opening a support ticket and will send a replacement.`,
      ),
      paragraph(
        `Caller: I paid with card ${id.cardNumber(r)}.\nAgent: Please do not tell me card numbers. We never need them.`,
      ),
    ],
  };
};

export const refunds: Template = (r) => ({
  title: 'Refunds to customers',
  blocks: [
    table(
      ['Customer', 'Order', 'IBAN', 'Refund EUR', 'Reason'],
      Array.from({ length: 12 }, () => [
        person(r).name,
        `${r.int(100000, 999999)}`,
        id.iban(r, r.pick(['DE', 'FR', 'ES'])),
        money(r, 20, 900),
        r.pick(['damaged', 'cancelled', 'double payment']),
      ]),
    ),
  ],
});

export const supportArticle: Template = (r) => ({
  title: `How to reset your ${product(r)}`,
  blocks: [
    paragraph(
      `Hold the button for ${r.int(5, 15)} seconds until the light blinks. Readings are kept. This article is public.`,
    ),
    paragraph('If the light stays red, update the firmware from the download page.'),
  ],
});

export const supportMail: Template = (r) => {
  const writer = person(r, 'customer.example');
  return {
    title: `Ticket T-${r.int(100000, 999999)}: ${r.pick(['no reading', 'wrong delivery', 'refund request'])}`,
    blocks: [
      paragraph(
        `Dear support team, our ${product(r)} is affected since ${recently(r)}. Please call ${id.phoneNumber(r)}.`,
      ),
      paragraph(`${writer.name}, ${customer(r)}, ${writer.email}`),
    ],
  };
};
