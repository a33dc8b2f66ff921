/**
 * English words = the German = the French that are read as them. `~`: with the endings of the language. The order of
 * words stays as it is.
 */
export const TRANSLATED = `
the = der|die|das|den|dem|des|ein~|war~|wurde~|werden|wird|worden|sein|es|uns|unser~|bitte|alle~ die|insgesamt =
the = gibt es|haben wir|wir haben|zeig~|zeig~ mir|zeig~ uns|derzeit|noch|auch = le|la|les|l|d|du|un|une|qui|que|qu
the =  = ont ete|a ete|ete|s il vous plait|nos|notre|il y a|y a t il|avons nous|nous avons|montre moi|montrez moi
the =  = montrer|affiche~|affichez|donne moi|donnez moi|encore|actuellement
list = liste|nenn~|nenn~ mir = liste|listez
my = mein~ = mes|mon|ma
do i have = habe ich|ich habe =
how many = wie viel~|wieviel~|anzahl|anzahl der|zahl der = combien de|combien|combien d|nombre de|le nombre de
how many =  = nombre d
total size = wie viel speicher|gesamtgrosse|gesamtgrosse der = taille totale|taille totale des
are = sind|ist = sont|est
which = welch~|was = quel~|quelle~|lesquel~
who has access to = wer hat zugriff auf|wer kann auf = qui a acces a|qui a acces au|qui a acces aux
percentage of = wie viel prozent der|welcher anteil der|anteil der|wie hoch ist der anteil der =
percentage of =  = quel pourcentage de|quel pourcentage des|quelle part des|pourcentage de|pourcentage des
files = datei~|dokument~|unterlagen = fichier~|document~
spreadsheets = excel dateien|tabellenkalkulationen = feuille~ de calcul|fichiers excel
duplicates = duplikat~ = doublon~
findings = befund~|feststellung~ = constat~|anomalie~
candidates = kandidat~|vorschlag|vorschlage~ = candidat~
actions = massnahme~|aktion~ = action~
tasks = aufgabe~ = tache~
scopes = scopes|quelle~|bereich~ = perimetre~|source~
domain = domane = domaine
domains = domanen = domaines
type = informationstyp|typ = type d information|types d information|type~
types = informationstypen|typen =
severity = schweregrad = gravite|severite
status = status = statut
month = monat = mois
owner = eigentumer~|besitzer~ = proprietaire~
label = label~|kennzeichnung~|vertraulichkeitsbezeichnung~ = etiquette~|label~
labelled = gekennzeichnet~ = etiquete~
without label = ohne label|ungekennzeichnet~|nicht gekennzeichnet~ = sans etiquette|non etiquete~
public = offentlich~ = public~|publiques|publique
internal = intern~ = interne~
confidential = vertraulich~ = confidentiel~|confidentielle~
sensitive = sensibl~|sensibel = sensible~
open = offen~ = ouvert~
critical = kritisch~ = critique~
high = hoch|hohe~ = eleve~
medium = mittler~ = moyen~|moyenne~
low = niedrig~ = faible~
risk = risiko|risiken = risque~
confirmed = bestatigt~ = confirme~
rejected = abgelehnt~ = rejete~
failed = fehlgeschlagen~ =
shared = geteilt~|freigegeben~ = partage~
externally = extern~|nach aussen|ausserhalb des unternehmens = en externe|externe~|avec des externes|a l exterieur
externally =  = avec l exterieur|hors de l entreprise
shared with everyone = mit allen geteilt~|fur alle freigegeben~ = partage~ avec tout le monde
publicly shared = uber einen anonymen link geteilt~|mit anonymem link = partage~ par lien anonyme
publicly shared =  = partage~ par un lien anonyme
personal data = personenbezogene~ daten = donnees personnelles|donnees a caractere personnel
phone numbers = telefonnummer~ = numero~ de telephone|des numeros de telephone
email addresses = e mail adresse~|mailadresse~ = adresse~ e mail|adresse~ mail|adresse~ electronique~
credit card numbers = kreditkartennummer~|kreditkarte~ = numero~ de carte|numero~ de carte bancaire|carte~ de credit
bank account numbers = kontonummer~|bankverbindung~ = numero~ de compte|coordonnees bancaires
health data = gesundheitsdaten = donnees medicales|donnees de sante
salary data = gehaltsdaten =
passwords = passwort~|passworter = mot~ de passe
tax numbers = steuernummer~ =
modified = geandert~|bearbeitet~|geandert worden = modifie~
created = erstellt~|angelegt~ = cree~
resolved = behoben~|gelost~ = resolu~
scanned = gescannt~ =
never scanned = nie gescannt~ = jamais analyse~
new = neu~ = nouveau|nouveaux|nouvelle~
contain = enthalten|enthalt|enthaltend~ = contenant|contiennent|contient|contenant des|contiennent des|contient des
have = haben|hat = ont|a
not = kein~|nicht|ohne = sans|pas de|pas|non
and = und = et
or = oder = ou
but = aber = mais
except = ausser = sauf|hormis
outside = ausserhalb|ausserhalb von = hors de|en dehors de
with = mit = avec
in = in|im|auf = dans|en|sur
of = von|vom = de|des
for = fur = pour
by = nach = par
per = pro|je =
all = all~|jede~ = tous|toutes|tous les|toutes les
largest = grosste~ = plus gros|plus grand~|plus volumineux
smallest = kleinste~ = plus petit~
oldest = alteste~ = plus ancien~|plus anciennes
newest = neueste~|neuste~ = plus recent~
most = die meisten|am meisten = le plus de|le plus d
fewest = die wenigsten = le moins de
how many more = wie viele mehr = combien de plus
compared with = im vergleich zu~|verglichen mit|als = par rapport a|par rapport au|compare~ a|compare~ au
more than = mehr als = plus de|de plus que
less than = weniger als = moins de|de moins que
larger than = grosser als =
smaller than = kleiner als =
at least = mindestens = au moins
at most = hochstens = au plus
copies = kopie~ = copie~
since = seit = depuis
before = vor = avant
yesterday = gestern = hier
today = heute = aujourd hui
last = letzt~|vergangen~ =
this = dies~ = cette|ce|cet
older than = alter als =
days = tag~ = jour~
week = woche~ = semaine~
months = monate~ =
quarter = quartal~ = trimestre~
year = jahr~ = annee~|an|ans
have no =  = n ont pas de|n ont pas d|n ont pas
last week =  = semaine derniere
last month =  = mois dernier
last year =  = annee derniere|an dernier
january = januar = janvier; february = februar = fevrier; march = marz = mars; may = mai = mai; june = juni = juin
july = juli = juillet; october = oktober = octobre; december = dezember = decembre; two = zwei = deux
three = drei = trois; four = vier = quatre; five = funf = cinq; six = sechs = six; seven = sieben = sept
eight = acht = huit; nine = neun = neuf; ten = zehn = dix; twenty = zwanzig = vingt; april =  = avril
august =  = aout; september =  = septembre; november =  = novembre
`;

/** Endings of German and French. */
export const ENDINGS: readonly (readonly string[])[] = [
  ['', 'e', 'en', 'er', 'es', 'em', 'n', 's'],
  ['', 's', 'e', 'es'],
];

/** Words that the languages have in common. */
export const COMMON: ReadonlySet<string> = new Set(
  'excel pdf pdfs csv word powerpoint sharepoint iban ibans top email mb gb kb april august september november label labels status'.split(
    ' ',
  ),
);
