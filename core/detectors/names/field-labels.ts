import { fold } from '../../kernel/words.ts';
import { phrases } from './word-lists.ts';

/** Labels of fields and columns that contain only a person's name or a part of it. Folded. */
export const NAME_FIELDS = phrases(
  fold(`
  first name, firstname, last name, lastname, full name, fullname, surname, surnames, family name, given name, given names, forename, forenames
  middle name, maiden name, birth name, patient name, employee name, customer name, contact name, contact person, cardholder name, holder name
  name of patient, name of employee, name of applicant, applicant name, student name, guest name, passenger name, name of insured, next of kin
  vorname, vornamen, nachname, familienname, zuname, geburtsname, rufname, ansprechpartner, ansprechpartnerin, sachbearbeiter, sachbearbeiterin
  name vorname, vorname name, vor und nachname, name und vorname, name des patienten, name des kunden, versicherter, kontoinhaber
  prenom, prenoms, nom de famille, nom de naissance, nom d'usage, nom et prenom, nom prenom, prenom et nom, nom complet, nom du patient
  apellido, apellidos, primer apellido, segundo apellido, nombre completo, nombre y apellido, nombre y apellidos, apellidos y nombre
  cognome, nome e cognome, cognome e nome, nominativo, sobrenome, apelido, nome completo, nome do paciente, nome da mae, nome do pai
  achternaam, voornaam, voornamen, roepnaam, volledige naam, tussenvoegsel, contactpersoon
  imie, imiona, nazwisko, imie i nazwisko, nazwisko i imie, jmeno, prijmeni, jmeno a prijmeni, meno, priezvisko, meno a priezvisko
  fornamn, efternamn, tilltalsnamn, fornavn, etternavn, efternavn, mellomnavn, etunimi, sukunimi, kontaktperson, yhteyshenkilo
  ad soyad, adi soyadi, adı soyadı, soyad, soyadi, soyadı, isim, nume, prenume, numele, vezeteknev, keresztnev, csaladnev, ime, prezime, ime i prezime
  фио, имя, фамилия, отчество, прізвище, όνομα, ονομα, επωνυμο, ονοματεπωνυμο, 姓名, 氏名, 名前, 姓, 성명, 이름, 성함, الاسم, שם
  客户姓名, 员工姓名, 患者姓名, 病人姓名, 学生姓名, 申请人姓名, 联系人, 联系人姓名, 收件人, 收货人, 持卡人, 开户人, 客戶姓名, 聯絡人, お名前, 患者氏名, 担当者, 担当者名, 申請者氏名, 氏名又は名称, 保護者氏名, 代表者, 代表者氏名, 连系人, 经办人, 负责人, 法定代表人, 甲方代表, 乙方代表
  고객명, 환자명, 담당자, 담당자명, 예금주, 신청인, 신청자, 대표자, 보호자, 수취인, 이름은, ชื่อ, ชื่อสกุล, ชื่อ นามสกุล, ชื่อผู้ป่วย, ชื่อลูกค้า, ผู้ติดต่อ, नाम, पूरा नाम, ग्राहक का नाम, पिता का नाम, आवेदक का नाम, रोगी का नाम
`),
);

/** Labels that mean a person's name only if another field contains another part of the name. */
export const PLAIN_NAME_FIELDS = phrases(
  `name, nom, nombre, nome, naam, navn, namn, nimi, nev, ad, ime, middle initial`,
);

/** Headers of columns that mostly contain persons. */
export const PERSON_COLUMNS = phrases(`
  person, employee, employees, customer, client, patient, contact, author, player, teacher, student, pupil, owner, manager, member
  assignee, reviewer, attendee, participant, guest, applicant, candidate, tenant, driver, doctor, lawyer, beneficiary, holder, witness, speaker
  mitarbeiter, mitarbeiterin, kunde, teilnehmer, employe, salarie, empleado, cliente, paciente, dipendente
  funcionario, medewerker, klant, pracownik, klient, anstalld, ansatt, zamestnanec, calisan
`);
