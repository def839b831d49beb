import pytest

from ade_engine.mapping.headers import joined, normalise


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("First Name", "first name"),
        ("FIRST_NAME", "first name"),
        ("firstName", "first name"),
        ("Prénom", "prenom"),
        ("Straße", "strasse"),
        ("Weight (kg)", "weight"),
        ("(kg)", "kg"),
        ("Member #", "member number"),
        ("Kunden-Nr.", "kunden number"),
        ("HTTPServer ID", "http server id"),
        ("  E-Mail\n", "e mail"),
        ("", ""),
        ("***", ""),
    ],
)
def test_headers_are_compared_by_their_words(header, words):
    assert normalise(header) == words


def test_joined_words_do_not_depend_on_where_they_are_split():
    assert joined(normalise("E-Mail")) == joined(normalise("email"))
