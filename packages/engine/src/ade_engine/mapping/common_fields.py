"""The built-in configuration: fields that most tables of people, addresses, orders and money share.

It only names columns. It converts and demands nothing, and a header that could mean several things is a hint, which
needs the values on its side: a wrong name is worse than none.
"""

from __future__ import annotations

import hashlib
from functools import cache

from ade_engine.configuration.model import ColumnRules, Configuration, Function, Settings
from ade_engine.fields import Field
from ade_engine.mapping.headers import joined, normalise
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.profile import Column


def _field(name: str, label: str, kind: str | None, aliases: str, hints: str = "") -> Field:
    return Field(name, label=label, kind=kind, aliases=_split(aliases), hints=_split(hints))


def _split(texts: str) -> list[str]:
    return [text.strip() for text in texts.split("|") if text.strip()]


PEOPLE = (
    _field(
        "first_name", "First name", "person_name",
        "given name|forename|christian name|fname|first|Vorname|prénom|nombre de pila|primer nombre|nome proprio"
        "|voornaam|primeiro nome|employee first name|customer first name|contact first name",
        "nombre|nome",
    ),
    _field(
        "middle_name", "Middle name", "person_name",
        "middle|middle initial|segundo nombre|zweiter Vorname|tussenvoegsel",
    ),
    _field(
        "last_name", "Last name", "person_name",
        "surname|family name|lname|last|Nachname|Familienname|Zuname|nom de famille|apellido|apellidos|cognome"
        "|achternaam|sobrenome|apelido|employee last name|customer last name|contact last name",
        "nom",
    ),
    _field(
        "full_name", "Full name", "full_name",
        "person name|employee name|contact name|customer name full|student name|patient name|member name"
        "|Vor- und Nachname|vollständiger Name|nom complet|nombre completo|nombre y apellidos|nome completo"
        "|nome e cognome|volledige naam|first and last name|name of employee|participant name|attendee name"
        "|guest name",
        "name|naam|customer|contact|employee|Mitarbeiter|Ansprechpartner",
    ),
    _field(
        "email", "Email", "email",
        "e-mail|email address|e-mail address|mail address|emailaddress|work email|personal email|contact email"
        "|E-Mail-Adresse|Mailadresse|adresse e-mail|adresse mail|courriel|adresse électronique|correo"
        "|correo electrónico|dirección de correo|indirizzo e-mail|indirizzo email|posta elettronica|e-mailadres"
        "|endereço de e-mail|correio eletrónico",
        "mail|contact",
    ),
    _field(
        "phone", "Phone", "phone",
        "phone number|telephone|telephone number|tel|tel no|contact number|work phone|home phone|office phone"
        "|Telefon|Telefonnummer|Rufnummer|téléphone|numéro de téléphone|teléfono|número de teléfono|telefono"
        "|numero di telefono|telefoon|telefoonnummer|telefone|número de telefone",
        "contact|number",
    ),
    _field(
        "mobile", "Mobile", "phone",
        "mobile phone|mobile number|cell|cell phone|cellphone|cell number|Handy|Handynummer|Mobiltelefon"
        "|Mobilnummer|portable|téléphone portable|móvil|celular|teléfono móvil|cellulare|mobiel|telemóvel",
    ),
    _field(
        "birth_date", "Birth date", "date",
        "date of birth|dob|birthdate|birthday|born on|Geburtsdatum|Geburtstag|date de naissance|né le"
        "|fecha de nacimiento|data di nascita|geboortedatum|data de nascimento",
        "born",
    ),
    _field(
        "gender", "Gender", "words",
        "sex|Geschlecht|sexe|género|sexo|genere|sesso|geslacht|gênero",
    ),
    _field(
        "job_title", "Job title", "words",
        "job|job position|occupation|role title|Berufsbezeichnung|Stellenbezeichnung|intitulé du poste|puesto"
        "|cargo|qualifica|functietitel|position title",
    ),
    _field(
        "department", "Department", "words",
        "dept|department name|Abteilung|département|service name|departamento|reparto|afdeling",
    ),
)  # fmt: skip

ADDRESSES = (
    _field(
        "company", "Company", "words",
        "company name|organisation|organization|organization name|organisation name|employer|business name|firm"
        "|Firma|Firmenname|Unternehmen|entreprise|société|raison sociale|empresa|compañía|razón social|azienda"
        "|ragione sociale|bedrijf|bedrijfsnaam|organisatie",
        "account name|client|Kunde|account",
    ),
    _field(
        "address_line", "Address", "words",
        "address|street|street address|address 1|address line 1|address1|addr|mailing address|home address"
        "|postal address|billing address|shipping address|delivery address|street name|Straße|Adresse|Anschrift"
        "|Straße und Hausnummer|Straße Nr|rue|adresse postale|dirección|calle|domicilio|indirizzo|via|adres|straat"
        "|endereço|morada|rua",
    ),
    _field(
        "address_line_2", "Address line 2", None,
        "address 2|address2|apt|apartment|suite|unit number|Adresszusatz|complément d'adresse",
    ),
    _field(
        "city", "City", "words",
        "town|city name|city town|municipality|locality|Ort|Stadt|Wohnort|ville|commune|ciudad|localidad|poblacion"
        "|municipio|città|comune|localita|stad|plaats|woonplaats|cidade|localidade",
    ),
    _field(
        "county", "County", "words",
        "county name|Landkreis|Kreis|comarca|contea",
    ),
    _field(
        "region", "Region", "words",
        "state|province|state province|state or province|state code|Bundesland|Kanton|région|province région"
        "|provincia|comunidad autónoma|regione|provincie|estado|distrito",
    ),
    _field(
        "postal_code", "Postal code", "postal_code",
        "zip|zip code|zipcode|postcode|post code|postalcode|zip postal code|PLZ|Postleitzahl|code postal|CP"
        "|código postal|CAP|codice postale|postcode plaats|CEP|código de endereçamento postal",
    ),
    _field(
        "country", "Country", "country",
        "country name|country code|nation|Land|Staat|pays|país|paese|nazione|country region",
    ),
    _field(
        "website", "Website", "url",
        "url|web site|homepage|home page|web page|web address|Webseite|Internetseite|site web|site internet"
        "|sitio web|página web|sito web|sito internet|link",
    ),
)  # fmt: skip

ORDERS = (
    _field(
        "id", "ID", "code",
        "identifier|record id|row id|uid|uuid|guid|member id|member number|member no|user id|student id|case id"
        "|patient id|case number|Kennung|Mitgliedsnummer|identifiant|n° de membre|identificador|número de socio",
    ),
    _field(
        "customer_id", "Customer ID", "code",
        "customer number|customer no|customer code|client id|client number|account number|account no|cust id"
        "|Kundennummer|Kunden-Nr|numéro client|código cliente|número de cliente|codice cliente|klantnummer"
        "|número do cliente",
    ),
    _field(
        "employee_id", "Employee ID", "code",
        "employee number|employee no|emp id|emp no|staff id|staff number|personnel number|worker id|Personalnummer"
        "|Personal-Nr|Mitarbeiternummer|matricule|número de empleado|matricola|personeelsnummer",
    ),
    _field(
        "order_number", "Order number", "code",
        "order id|order no|order nr|sales order|sales order number|purchase order|purchase order number|po number"
        "|po no|Bestellnummer|Auftragsnummer|Auftrags-Nr|numéro de commande|número de pedido|numero ordine"
        "|bestelnummer|ordernummer",
        "order",
    ),
    _field(
        "invoice_number", "Invoice number", "code",
        "invoice id|invoice no|invoice nr|bill number|Rechnungsnummer|Rechnungs-Nr|Rechnung Nr|numéro de facture"
        "|nº factura|número de factura|numero fattura|factuurnummer|número da fatura",
        "invoice|facture|factura|fattura|Rechnung",
    ),
    _field(
        "product_code", "Product code", "code",
        "sku|product id|product number|item number|item no|item code|item id|part number|part no|article number"
        "|Artikelnummer|Artikel-Nr|référence produit|référence article|código de producto|codice articolo"
        "|artikelnummer",
    ),
    _field(
        "product", "Product", "words",
        "product name|item name|article name|Produkt|Produktname|Artikelbezeichnung|produit|nom du produit"
        "|producto|prodotto|nome prodotto|produto",
        "item|article|Artikel",
    ),
    _field(
        "description", "Description", "words",
        "item description|product description|Beschreibung|Bezeichnung|descripción|descrizione|omschrijving"
        "|descrição",
    ),
    _field(
        "quantity", "Quantity", "number",
        "qty|quantity ordered|order quantity|units sold|Menge|Anzahl|Stückzahl|quantité|qté|cantidad|quantità"
        "|aantal|hoeveelheid|quantidade|pcs",
    ),
    _field(
        "unit_price", "Unit price", "money",
        "price per unit|unit cost|price each|Einzelpreis|Stückpreis|prix unitaire|precio unitario|prezzo unitario"
        "|prijs per stuk|preço unitário",
    ),
    _field(
        "price", "Price", "money",
        "sale price|selling price|list price|Preis|prix|precio|prezzo|prijs|preço|Verkaufspreis",
    ),
    _field(
        "amount", "Amount", "money",
        "total amount|amount due|invoice amount|order amount|net amount|gross amount|Betrag|Gesamtbetrag"
        "|Rechnungsbetrag|montant|montant total|importe|importe total|monto|importo|bedrag|totaalbedrag"
        "|valor total",
    ),
    _field(
        "tax", "Tax", "money",
        "vat|sales tax|tax amount|vat amount|MwSt|Mehrwertsteuer|USt|Umsatzsteuer|TVA|IVA|BTW|taxe|impuesto",
    ),
    _field(
        "currency", "Currency", "currency",
        "currency code|Währung|devise|moneda|divisa|valuta|moeda",
    ),
)  # fmt: skip

DATES = (
    _field(
        "date", "Date", "date",
        "transaction date|posting date|entry date|Datum|Buchungsdatum|date de transaction|fecha|data|record date",
        "day",
    ),
    _field(
        "order_date", "Order date", "date",
        "date ordered|date of order|ordered on|purchase date|Bestelldatum|Auftragsdatum|date de commande"
        "|fecha de pedido|data ordine|besteldatum|data do pedido",
        "ordered",
    ),
    _field(
        "invoice_date", "Invoice date", "date",
        "date of invoice|billing date|bill date|Rechnungsdatum|date de facture|fecha de factura|data fattura"
        "|factuurdatum|data da fatura",
    ),
    _field(
        "due_date", "Due date", "date",
        "payment due date|date due|Fälligkeitsdatum|fällig am|date d'échéance|échéance|fecha de vencimiento"
        "|vencimiento|data di scadenza|scadenza|vervaldatum|data de vencimento",
        "due",
    ),
    _field(
        "start_date", "Start date", "date",
        "begin date|date started|from date|effective date|hire date|date hired|date of hire|joining date"
        "|Startdatum|Beginn|Eintrittsdatum|date de début|date d'embauche|fecha de inicio|fecha de alta|data inizio"
        "|data di inizio|begindatum|data de início|joined|date joined|join date|date d'adhésion",
        "start|from|hired|begin",
    ),
    _field(
        "end_date", "End date", "date",
        "finish date|date ended|to date|termination date|expiry date|expiration date|Enddatum|Austrittsdatum"
        "|date de fin|fecha de fin|fecha de baja|data fine|data di fine|einddatum|data de fim|data de término",
        "end|until|expires|expiry",
    ),
    _field(
        "created_at", "Created", "date",
        "created at|created on|creation date|date created|created date|Erstellungsdatum|erstellt am"
        "|date de création|fecha de creación|data di creazione",
    ),
)  # fmt: skip


_PERSON_DATA = (
    "email", "phone", "mobile", "birth_date", "gender", "job_title", "department", "employee_id", "first_name",
    "last_name",
)  # fmt: skip


def beside_person_data(column: Column, table: SourceTable) -> float:
    """Give evidence for a column of names when its neighbours are about people: "Name" alone could be of anything."""
    if column.share_of_kind("full_name") < 0.5:
        return 0.0
    known = _person_headers()
    return 0.2 if any(joined(other.words) in known for other in table.columns if other is not column) else 0.0


@cache
def _person_headers() -> frozenset[str]:
    fields = [field for field in (*PEOPLE, *ADDRESSES, *ORDERS) if field.name in _PERSON_DATA]
    names = [name for field in fields for name in (field.name, field.title, *field.aliases)]
    return frozenset(joined(normalise(name)) for name in (*names, "age", "salary", "Alter", "edad"))


@cache
def common_configuration() -> Configuration:
    """Return the configuration that applies when none is given."""
    fields = (*PEOPLE, *ADDRESSES, *ORDERS, *DATES)
    return Configuration(
        name="built-in",
        fingerprint=hashlib.sha256(repr(fields).encode()).hexdigest(),
        columns=tuple(ColumnRules(field=field, detectors=_detectors(field)) for field in fields),
        settings=Settings(verdict_optional=tuple(field.name for field in fields)),  # no document has all of them
        guesses=False,  # a wrong name is worse than none
    )


def _detectors(field: Field) -> tuple[Function, ...]:
    if field.name != "full_name":
        return ()
    line = beside_person_data.__code__.co_firstlineno
    rule = "col.full_name.beside_person_data"
    return (Function(rule, ("column", "table"), beside_person_data, "common_fields.py", line),)
