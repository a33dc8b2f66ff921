import { heading, paragraph, table } from '../business-document.ts';
import * as id from '../identifiers.ts';
import { COMPANY, customer, money, person, product, recently, supplier } from '../people.ts';
import type { Random } from '../random.ts';
import type { Template } from './template.ts';

const positions = (r: Random) =>
  Array.from({ length: r.int(2, 6) }, () => [product(r), String(r.int(1, 40)), money(r, 80, 2400)]);

export const invoice: Template = (r) => ({
  title: `Invoice NW-${r.int(20250001, 20259999)}`,
  blocks: [
    paragraph(
      `${COMPANY}, accounts receivable. Bill to: ${customer(r)}. Purchase order ${r.int(45000, 46999)}.`,
    ),
    paragraph(`Invoice date: ${recently(r)}. Payment terms: 30 days net.`),
    table(['Description', 'Quantity', 'Amount EUR'], positions(r)),
    paragraph(`Total amount due including VAT: EUR ${money(r, 2000, 60000)}.`),
    paragraph(
      `Please pay by bank transfer to IBAN ${id.iban(r, 'GB')}, BIC ${id.bic(r)}, quoting the invoice number.`,
    ),
  ],
});

export const rechnung: Template = (r) => ({
  title: `Rechnung NW-${r.int(20250001, 20259999)}`,
  blocks: [
    paragraph(
      `Rechnungsempfänger: ${customer(r)}. Rechnungsdatum: ${recently(r)}. Zahlbar innerhalb von 14 Tagen ohne Abzug.`,
    ),
    table(['Bezeichnung', 'Menge', 'Betrag EUR'], positions(r)),
    paragraph(`Rechnungsbetrag einschließlich 19 % Mehrwertsteuer: ${money(r, 1500, 40000)} EUR.`),
    paragraph(
      `Bankverbindung: IBAN ${id.iban(r, 'DE')}, BIC ${id.bic(r)}. Bitte geben Sie bei der Überweisung die Rechnungsnummer an.`,
    ),
  ],
});

export const facture: Template = (r) => ({
  title: `Facture NW-${r.int(20250001, 20259999)}`,
  blocks: [
    paragraph(
      `Facturé à : ${customer(r)}. Date de facture : ${recently(r)}. Échéance : 30 jours fin de mois.`,
    ),
    table(['Désignation', 'Quantité', 'Montant EUR'], positions(r)),
    paragraph(`Montant total TTC à payer : ${money(r, 1500, 30000)} EUR.`),
    paragraph(`Règlement par virement bancaire, IBAN ${id.iban(r, 'FR')}, BIC ${id.bic(r)}.`),
  ],
});

export const factura: Template = (r) => ({
  title: `Factura NW-${r.int(20250001, 20259999)}`,
  blocks: [
    paragraph(`Cliente: ${customer(r)}. Fecha de la factura: ${recently(r)}. Vencimiento a 30 días.`),
    table(['Concepto', 'Cantidad', 'Importe EUR'], positions(r)),
    paragraph(
      `Importe total con IVA: ${money(r, 1500, 30000)} EUR. Pago por transferencia al IBAN ${id.iban(r, 'ES')}.`,
    ),
  ],
});

export const bankReconciliation: Template = (r) => ({
  title: `Bank reconciliation, account ${r.int(1200, 1299)}`,
  blocks: [
    paragraph(
      'Monthly bank reconciliation of the general ledger against the bank statement, prepared by treasury.',
    ),
    table(
      ['Value date', 'Counterparty', 'IBAN', 'Debit EUR', 'Credit EUR'],
      Array.from({ length: 12 }, () => [
        recently(r),
        customer(r),
        id.iban(r, r.pick(['DE', 'FR', 'ES'])),
        money(r, 0, 9000),
        money(r, 0, 9000),
      ]),
    ),
    paragraph(
      'Unreconciled differences are carried to the suspense account and cleared at month-end closing.',
    ),
  ],
});

export const budget: Template = (r) => ({
  title: `Budget and forecast ${r.pick(['operations', 'sales', 'engineering', 'group'])}`,
  blocks: [
    paragraph(
      'Annual budget by cost centre with quarterly forecast, capital expenditure and variance to actuals.',
    ),
    table(
      ['Cost centre', 'Budget EUR', 'Forecast EUR', 'Variance'],
      Array.from({ length: 10 }, () => [
        `${r.int(4000, 4999)}`,
        money(r, 10000, 400000),
        money(r, 10000, 400000),
        `${r.int(-12, 14)} %`,
      ]),
    ),
    paragraph(
      'Assumptions: revenue growth, currency rates and the hiring plan as approved by the finance committee.',
    ),
  ],
});

export const expenseClaim: Template = (r) => {
  const claimant = person(r);
  return {
    title: `Expense claim ${claimant.name}`,
    blocks: [
      paragraph(
        `Corporate card ${id.cardNumber(r)}, cardholder ${claimant.name}, expiry 0${r.int(1, 9)}/28.`,
      ),
      table(
        ['Date', 'Expense', 'Amount EUR'],
        Array.from({ length: 7 }, () => [
          recently(r),
          r.pick(['Hotel', 'Rail ticket', 'Client dinner', 'Taxi', 'Conference fee']),
          money(r, 10, 600),
        ]),
      ),
      paragraph(
        `Reimbursement to IBAN ${id.iban(r, 'DE')} after approval of receipts by the cost centre manager.`,
      ),
    ],
  };
};

export const managementAccounts: Template = (r) => ({
  title: `Management accounts, quarter ${r.int(1, 4)}`,
  blocks: [
    heading('Profit and loss'),
    paragraph(
      `Revenue was EUR ${money(r, 4_000_000, 9_000_000)}, gross margin ${r.int(31, 47)} percent. EBITDA ${r.pick(['exceeded', 'fell short of'])} the forecast.`,
    ),
    heading('Cash flow and balance sheet'),
    paragraph(
      `Operating cash flow improved as receivables were collected in ${r.int(38, 61)} days. Net debt stands within the covenant.`,
    ),
    paragraph(
      'These unpublished financial results are price-sensitive and must not leave the finance committee before release.',
    ),
  ],
});

export const vendorBankDetails: Template = (r) => ({
  title: 'Vendor master, bank details',
  blocks: [
    table(
      ['Vendor', 'IBAN', 'BIC', 'Payment terms'],
      Array.from({ length: 15 }, () => [
        supplier(r),
        id.iban(r, r.pick(['DE', 'GB', 'FR', 'ES'])),
        id.bic(r),
        '30 days',
      ]),
    ),
  ],
});

export const taxReturn: Template = (r) => ({
  title: `Corporate tax return working paper ${r.int(2022, 2025)}`,
  blocks: [
    paragraph(
      `Corporate income tax computation for ${COMPANY}. Taxable profit EUR ${money(r, 900_000, 3_000_000)}, deferred tax and VAT reconciliation attached.`,
    ),
    paragraph(
      `Responsible signatory ${person(r).name}, personal tax identification number ${id.germanTaxId(r)}.`,
    ),
    paragraph(
      'Transfer pricing documentation supports the intercompany charges. To be filed with the tax office after review by the external auditor.',
    ),
  ],
});

export const paymentApproval: Template = (r) => ({
  title: `Payment approval ${supplier(r)}`,
  blocks: [
    paragraph(
      `Please release the payment of EUR ${money(r, 4000, 90000)} to IBAN ${id.iban(r, 'DE')} (BIC ${id.bic(r)}) today.`,
    ),
    paragraph(
      `The invoice was matched to the purchase order. Call me on ${id.phoneNumber(r)} before the cut-off.`,
    ),
    paragraph(person(r).name),
  ],
});
