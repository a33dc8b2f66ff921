/**
 * A glossary of general business language. Each line is `term, other English words | German | French | Spanish`, and
 * the term stands for all of them. Nouns are in the singular, because endings are removed, and also in the plural if
 * its stem differs. A German word after a hyphen counts only within compounds, because alone it means something else:
 * `-personal` in `Personalkosten`.
 * Each word is in one line. A word with another common meaning in one of these languages is in none.
 */
export const CONCEPTS = `
accounting, bookkeeping | Buchhaltung, Buchführung, Rechnungswesen | comptabilité | contabilidad
invoice, bill | Rechnung, Faktura | facture, facturation | factura, facturación
payment | Zahlung, Bezahlung, Überweisung, Auszahlung | paiement, virement | pago, transferencia
pay | zahlen, bezahlen, überweisen, begleichen | payer, virer | pagar
reminder, dunning | Mahnung, Erinnerung | rappel, relance | recordatorio
amount | Betrag, Beträge, Summe | montant | importe
balance | Saldo | solde | saldo
account | Konto, Konten | compte | cuenta
account statement | Kontoauszug, Kontoauszüge | |
bank | Bank | banque, bancaire | banco, bancario
ledger | Hauptbuch, Hauptbücher, Kontobuch | |
booking, posting | Buchung | écriture | asiento
cost, expense, expenditure | Kosten, Aufwand, Aufwendung, Ausgabe | coût, dépense, frais | coste, gasto
revenue, turnover | Umsatz, Umsätze, Erlös, Einnahme | recette | ingreso
profit | Gewinn | bénéfice | beneficio, ganancia
loss | Verlust | perte | pérdida
tax | Steuer | impôt, fiscal, fiscalité, taxe | impuesto
balance sheet | Bilanz | bilan |
financial statement | Jahresabschluss, Jahresabschlüsse, Monatsabschluss, Quartalsabschluss | |
closing | Abschluss, Abschlüsse | clôture | cierre
accrual | Rückstellung | |
forecast | Prognose, Hochrechnung | prévision | pronóstico, previsión
budget | Budget, Haushaltsplan | budgétaire | presupuesto
planning | Planung | planification | planificación
finance, financial | Finanz, Finanzen, finanziell, Finanzierung | financier, financement | finanzas, financiero, financiación
investment | Investition | investissement | inversión
loan | Kredit, Darlehen | prêt, emprunt | préstamo
debt | Schulden, Verbindlichkeit | dette | deuda
receivable | Forderung | créance |
asset | Vermögen, Anlagevermögen | actif | activo
insurance | Versicherung | | seguro
currency | Währung | devise, monnaie | moneda, divisa
fee | Gebühr | redevance | tarifa, tasa
price | Preis | prix | precio
fiscal year | Geschäftsjahr | |
value added tax, vat | Umsatzsteuer, Mehrwertsteuer | tva | iva

employee, staff, workforce | Mitarbeiter, Arbeitnehmer, Beschäftigte, Beschäftigter, Angestellte, Angestellter, Belegschaft, -personal | employé, travailleur | empleado, trabajador
human resource | Personalwesen, Personalabteilung | |
employer | Arbeitgeber | employeur | empleador
employment | Arbeit, Beschäftigung, Anstellung | emploi, travail | empleo, trabajo
salary, wage, remuneration | Gehalt, Gehälter, Lohn, Löhne, Vergütung, Entgelt, Besoldung | salaire, rémunération, paie | salario, sueldo, nómina, remuneración
payroll | Gehaltsabrechnung, Lohnabrechnung, Entgeltabrechnung, Lohnbuchhaltung | |
bonus | Prämie, Zulage | |
applicant, candidate | Bewerber | candidat | candidato
application | Bewerbung, Antrag, Anträge | candidature, demande | solicitud, candidatura
recruitment, hiring, recruiting | Einstellung, Personalgewinnung | recrutement, embauche | contratación, reclutamiento
curriculum vitae, cv | Lebenslauf, Lebensläufe | |
interview | Vorstellungsgespräch, Bewerbungsgespräch | | entrevista
holiday, vacation | Urlaub, Ferien | congé, vacances | vacaciones
absence | Abwesenheit, Fehlzeit | |
sick leave | Krankmeldung, Krankschreibung, Arbeitsunfähigkeit, arbeitsunfähig | |
sick, illness, sickness, disease | Krankheit, Erkrankung, krank | maladie, malade | enfermedad, enfermo
probation | Probezeit | |
termination | Kündigung | résiliation, licenciement | rescisión, despido
pension, retirement | Rente, Ruhestand, Altersvorsorge | retraite | jubilación
appraisal | Beurteilung, Mitarbeitergespräch | |
training | Schulung, Weiterbildung, Fortbildung, Ausbildung | | formación
manager, supervisor | Vorgesetzte, Vorgesetzter, Führungskraft, Führungskräfte | |
colleague | Kollege | collègue | colega
working time | Arbeitszeit | |
works council | Betriebsrat, Personalrat | |

law, legal | Recht, rechtlich, Gesetz, gesetzlich, juristisch | droit, loi, juridique, légal | derecho, ley, jurídico
contract, agreement | Vertrag, Verträge, Vereinbarung, Abkommen, vertraglich | contrat | contrato, acuerdo
party | Partei | partie | parte
confidential, confidentiality | vertraulich, Vertraulichkeit | confidentiel, confidentialité | confidencial, confidencialidad
secrecy, secret | Geheimhaltung, Verschwiegenheit, Geheimnis | secret | secreto
court, tribunal | Gericht, gerichtlich | juridiction | juzgado
litigation, lawsuit | Klage, Rechtsstreit, Rechtsstreitigkeit, Streitigkeit, Gerichtsverfahren | litige, contentieux | litigio
plaintiff, claimant | Kläger | |  demandante
defendant | Beklagte, Beklagter | défendeur | demandado
lawyer, counsel, attorney | Anwalt, Anwälte, Rechtsanwalt, Rechtsanwälte | avocat | abogado
judgment, ruling | Urteil | jugement | sentencia
settlement | Vergleich | |
damage | Schaden, Schäden, Schadensersatz, Schadenersatz | dommage | daño
claim | Anspruch, Ansprüche | réclamation, revendication | reclamación
liability | Haftung | responsabilité | responsabilidad
warranty, guarantee | Gewährleistung, Garantie | garantie | garantía
jurisdiction | Gerichtsstand | | jurisdicción
resolution | Beschluss, Beschlüsse | résolution, délibération | resolución
board | Vorstand, Vorstände, Aufsichtsrat, Aufsichtsräte, Verwaltungsrat | |
shareholder | Gesellschafter, Aktionär | actionnaire | accionista
company | Unternehmen, Firma, Gesellschaft | société, entreprise | empresa, sociedad
opinion | Gutachten | | dictamen
deadline | Frist | délai, échéance | plazo
condition | Bedingung | condition | condición
obligation, duty | Pflicht, Verpflichtung | | obligación
trademark | Marke, Warenzeichen | |
copyright | Urheberrecht | |
infringement, violation, breach | Verletzung, Verstoß, Verstöße | | infracción, violación
regulation | Verordnung, Vorschrift | réglementation | reglamento, normativa
minutes | Protokoll, Niederschrift | |
intellectual property | Schutzrecht | |
signature | Unterschrift | |

procurement, purchasing | Beschaffung, Einkauf, Einkäufe | achat, approvisionnement | compra, adquisición
buyer, purchaser | Einkäufer, Käufer | acheteur | comprador
supplier, vendor | Lieferant, Zulieferer, Kreditor | fournisseur | proveedor
tender, bid | Ausschreibung, Vergabe | | licitación
bidder, tenderer | Bieter | soumissionnaire | licitador
order | Bestellung, Auftrag, Aufträge | commande | pedido
delivery | Lieferung, Anlieferung, Zustellung | livraison | entrega
deliver | liefern, liefert | livrer | entregar
goods, merchandise | Güter | marchandise | mercancía
quantity | Menge | quantité |
assessment, evaluation | Bewertung, Auswertung, Einschätzung | | evaluación, valoración
questionnaire | Fragebogen, Fragebögen, Selbstauskunft | | cuestionario
certificate | Zertifikat, Bescheinigung, Zeugnis | certificat | certificado

sale | Verkauf, Verkäufe, Vertrieb, Absatz | vente | venta
customer, client | Kunde, Kundin | clientèle | cliente, clientela
offer, quotation, quote | Angebot, Offerte, Kostenvoranschlag | offre, devis | oferta
inquiry, enquiry | Anfrage | |
discount, rebate | Rabatt, Nachlass, Skonto | rabais | descuento, rebaja
complaint | Reklamation, Beschwerde, Beanstandung | plainte | queja
refund | Rückerstattung, Erstattung, Gutschrift | remboursement | reembolso
voucher | Gutschein | |
satisfaction | Zufriedenheit | | satisfacción
advertising, advertisement | Werbung, Reklame | publicité, publicitaire | publicidad
campaign | Kampagne | campagne | campaña
competitor | Wettbewerber, Konkurrent | | competidor
market | Markt, Märkte | marché | mercado

security | Sicherheit | sécurité | seguridad
information technology | Informationstechnik, Informationstechnologie | informatique | informática
password | Passwort, Passwörter, Kennwort, Kennwörter | | contraseña
access | Zugriff, Zugang, Zugänge | accès | acceso
access right | Zugriffsrecht, Zugangsrecht | |
permission, authorization | Berechtigung, Freigabe | autorisation, habilitation | autorización, permiso
user | Benutzer, Nutzer, Anwender | utilisateur | usuario
use, usage | Nutzung, Verwendung, Benutzung | utilisation | uso, utilización
service | Dienst, Dienstleistung | prestation | servicio
network | Netzwerk, Netz | réseau |
server | Server | serveur | servidor
computer | Rechner, Computer | ordinateur | ordenador
software | Software | logiciel |
malware | Schadsoftware, Schadprogramm | malveillant | malicioso
vulnerability, weakness | Schwachstelle, Sicherheitslücke, Verwundbarkeit | vulnérabilité, faille | vulnerabilidad
incident | Vorfall, Vorfälle, Zwischenfall | | incidente
attack | Angriff | attaque | ataque
encryption | Verschlüsselung, verschlüsselt | chiffrement | cifrado
key | Schlüssel | |
backup | Sicherung, Datensicherung | sauvegarde |
outage | Ausfall, Ausfälle | panne | avería
data | Daten | donnée | dato
database | Datenbank | |
privacy | Datenschutz, Privatsphäre | privé | privacidad
personal | personenbezogen, persönlich | personnelle |
private | privat | | privado
consent | Einwilligung, Zustimmung | consentement | consentimiento
policy | Richtlinie, Leitlinie | politique, charte | política
declaration | Erklärung | déclaration | declaración
retention | Aufbewahrung | conservation | conservación
processing | Verarbeitung | | tratamiento
website, site | Webseite, Internetseite | | sitio
configuration | Konfiguration | | configuración
administrator | Administrator | administrateur | administrador

patient | Patient | | paciente
health | Gesundheit, gesundheitlich | santé | salud, sanidad
medical | medizinisch, ärztlich | médical | médico
doctor, physician | Arzt, Ärzte | médecin |
nurse, nursing | Pfleger, Krankenpflege | infirmier | enfermería, enfermero
care | Pflege, Versorgung | soin |
hospital, clinic | Krankenhaus, Krankenhäuser, Klinik, Klinikum | hôpital, clinique | clínica
diagnosis, diagnose | Diagnose, Befund | diagnostic | diagnóstico
treatment, therapy | Behandlung, Therapie | traitement, thérapie | terapia
medication, medicine, drug | Medikament, Medikation, Arznei, Arzneimittel | médicament | medicamento, medicación
medical report | Arztbrief, Entlassungsbrief, Entlassbrief, Arztbericht | |
prescription | Rezept | | receta
dose, dosage | Dosis, Dosierung | posologie | dosis
symptom | Symptom | symptôme | síntoma
surgery | -operation | chirurgie | cirugía
blood | Blut | sang | sangre
tablet, pill | Tablette | comprimé | pastilla
examination | Untersuchung | |
allergy, allergic | Allergie, allergisch | allergique | alergia, alérgico
pain | Schmerz | douleur | dolor
vaccination | Impfung | | vacunación
disability | Behinderung | handicap | discapacidad
research | Forschung | recherche | investigación
development | Entwicklung | développement | desarrollo
experiment, trial | Versuch, Experiment | essai | experimento, ensayo
laboratory, lab | Laboratorium, -labor | laboratoire | laboratorio
sample, specimen | Stichprobe, -probe | échantillon | muestra
result | Ergebnis | résultat | resultado
invention | Erfindung | | invención
inventor | Erfinder | inventeur |
patent | Patent | | patente
prototype | Prototyp | | prototipo
design | Entwurf, Entwürfe, Konstruktion | conception | diseño
drawing | Zeichnung | dessin | dibujo
study | Studie | étude | estudio
scientist, researcher | Wissenschaftler, Forscher | chercheur | investigador
source code | Quellcode, Quelltext | |

production, manufacturing | Produktion, Fertigung, Herstellung | fabrication | producción, fabricación
manufacturer, producer | Hersteller | fabricant | fabricante
machine | Maschine | | máquina
equipment | Gerät, -anlage | équipement |
maintenance, servicing | Wartung, Instandhaltung, Instandsetzung | | mantenimiento
quality | Qualität | qualité | calidad
inspection | Prüfung, Inspektion, Überprüfung | contrôle | inspección
fault, defect | Störung, Mangel, Mängel, Defekt | défaut, défaillance | defecto
downtime | Stillstand | |
warehouse | Lager, Lagerhaus | entrepôt | almacén
stock, inventory | Bestand, Bestände, Inventur, Inventar, Vorrat, Vorräte | inventaire | inventario, existencias
shipment, consignment | Versand, Sendung | expédition | envío
shipping, transport, freight | Fracht, Transport, Spedition, Beförderung | | transporte, flete
carrier, forwarder | Spediteur, Frachtführer | transporteur | transportista
pallet | Palette | |
factory | Werk, Fabrik | usine | fábrica
product | Produkt, Erzeugnis | produit | producto
logistics | Logistik | logistique | logística
occupational safety | Arbeitsschutz, Arbeitssicherheit | |
environment | Umwelt | environnement |
energy | Energie | énergie | energía
project | Projekt, Vorhaben | projet | proyecto
construction | Bau, Bauarbeiten | | construcción
building | Gebäude | bâtiment | edificio
real estate | Immobilie, Grundstück | immobilier | inmueble, inmobiliario
rent, lease | Miete, Pacht | loyer | alquiler, arrendamiento
tenant | Mieter | locataire | inquilino

audit | Wirtschaftsprüfung, -revision | | auditoría
compliance | Regelkonformität | conformité | cumplimiento
risk | Risiko, Risiken | risque | riesgo
whistleblower | Hinweisgeber | | denunciante
corruption, bribery | Korruption, Bestechung | | corrupción, soborno
authority | Behörde | autorité | autoridad
report | Bericht, Meldung | rapport | informe
strategy | Strategie | stratégie | estrategia
meeting | Sitzung, Besprechung, Versammlung | réunion, séance | reunión
press release | Pressemitteilung, Presseerklärung | |
student, pupil | Schüler, Student, Studierende, Studierender | étudiant, élève | estudiante, alumno
school | Schule | école | escuela
teacher | Lehrer, Lehrkraft, Lehrkräfte | enseignant | profesor, docente
citizen | Bürger | citoyen | ciudadano
member | Mitglied | | miembro
licence, license | Lizenz | | licencia
permit | Genehmigung | permis |
identity | Identität | identité | identidad
passport | Reisepass, Reisepässe | passeport | pasaporte
birth | Geburt | naissance | nacimiento
`;
