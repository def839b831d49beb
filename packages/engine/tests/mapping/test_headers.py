import pytest

from ade_engine.mapping.headers import joined, normalise, numbered


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


def test_equal_headers_are_numbered_around_those_that_have_a_number_already():
    assert numbered(["A", "A", "A (3)", "A", "", "", "A (3)", "A"]) == [
        "A", "A (2)", "A (3)", "A (4)", "", "", "A (3) (2)", "A (5)"
    ]  # fmt: skip
