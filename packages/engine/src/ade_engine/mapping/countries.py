"""Country names, enough to recognise a column of them."""

from __future__ import annotations

_NAMES = """
afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas bahrain bangladesh
barbados belarus belgium belize benin bhutan bolivia botswana brazil brunei bulgaria burundi cambodia cameroon canada
chad chile china colombia congo croatia cuba cyprus czechia denmark djibouti dominica ecuador egypt eritrea estonia
eswatini ethiopia fiji finland france gabon gambia georgia germany ghana greece grenada guatemala guinea guyana haiti
honduras hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya kiribati
kosovo kuwait kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg madagascar malawi
malaysia maldives mali malta mauritania mauritius mexico micronesia moldova monaco mongolia montenegro morocco
mozambique myanmar namibia nauru nepal netherlands nicaragua niger nigeria norway oman pakistan palau palestine panama
paraguay peru philippines poland portugal qatar romania russia rwanda samoa senegal serbia seychelles singapore slovakia
slovenia somalia spain sudan suriname sweden switzerland syria taiwan tajikistan tanzania thailand togo tonga tunisia
turkey türkiye turkmenistan tuvalu uganda ukraine uruguay usa uzbekistan vanuatu venezuela vietnam yemen zambia zimbabwe
deutschland österreich schweiz frankreich italien spanien niederlande belgien dänemark schweden norwegen finnland polen
tschechien ungarn griechenland türkei großbritannien allemagne autriche suisse italie espagne belgique danemark suède
norvège pologne grèce turquie alemania francia italia españa portugal bélgica suiza suecia noruega polonia grecia brasil
méxico japón nederland duitsland frankrijk oostenrijk zwitserland spanje italië alemanha frança espanha itália suíça
"""
_LONGER = (
    "bosnia and herzegovina", "burkina faso", "cabo verde", "cape verde", "central african republic", "costa rica",
    "czech republic", "dominican republic", "el salvador", "equatorial guinea", "great britain", "hong kong",
    "ivory coast", "marshall islands", "new zealand", "north korea", "north macedonia", "papua new guinea",
    "russian federation", "san marino", "saudi arabia", "sierra leone", "solomon islands", "south africa",
    "south korea", "south sudan", "sri lanka", "trinidad and tobago", "united arab emirates", "united kingdom",
    "united states", "united states of america", "estados unidos", "reino unido", "pays-bas", "royaume-uni",
    "états-unis", "vereinigte staaten", "vereinigtes königreich", "viet nam", "korea, republic of", "u.s.a.", "u.s.",
)  # fmt: skip
_CODES = """
ad ae af ag al am ao ar at au az ba bb bd be bf bg bh bi bj bn bo br bs bt bw by bz ca cd cf cg ch ci cl cm cn co cr cu
cv cy cz de dj dk dm do dz ec ee eg er es et fi fj fm fr ga gb gd ge gh gm gn gq gr gt gw gy hk hn hr ht hu id ie il in
iq ir is it jm jo jp ke kg kh ki km kn kp kr kw kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mr
mt mu mv mw mx my mz na ne ng ni nl no np nr nz om pa pe pg ph pk pl pt pw py qa ro rs ru rw sa sb sc sd se sg si sk sl
sm sn so sr ss st sv sy sz td tg th tj tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vn vu ws ye za zm zw
aut bel bra can che chn cze deu dnk esp fin fra gbr grc hun ind irl ita jpn kor mex nld nor nzl pol prt rou rus swe tur
"""
COUNTRIES = frozenset(_NAMES.split()) | frozenset(_LONGER) | frozenset(_CODES.split())
