import type { Detector } from '../detector.ts';
import { auBankAccount, bankAccountNumber, ukBankAccount, usRoutingNumber } from './bank-account.ts';
import { bic } from './bic.ts';
import { cardVerification } from './card-verification.ts';
import { bitcoinAddress, ethereumAddress } from './crypto-address.ts';
import { iban } from './iban.ts';
import { paymentCard } from './payment-card.ts';
import { salaryAmount } from './salary.ts';

/** Cards, accounts, payments and pay. */
export const FINANCE: readonly Detector[] = [
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
  salaryAmount,
];
